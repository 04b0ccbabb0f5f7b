package llmretry

// Limits of a walk, in errors looked at. Real chains have a dozen; a chain that leads back to itself must end too.
const (
	maxNodes = 1 << 17
	maxStop  = 1 << 10 // for the Stop of a carrier: there may be one on every node
)

// step is what a visit wants next.
type step uint8

const (
	descend step = iota // into what the error wraps
	skip                // past it, to the next branch of a join
	stop
)

// walk visits err and what it wraps, outermost first, the branches of a join in order. Of an AttemptsError only Err is
// followed: it stands for its call. leaf says that nothing is wrapped. errors.Is and errors.As would do neither, and
// would not end on a cycle.
func walk(err error, limit int, visit func(err, parent error, leaf bool) step) {
	type node struct{ err, parent error }
	var few [4]node
	waiting := few[:0]
	at := node{err: err}
	for {
		for at.err != nil && limit > 0 {
			limit--
			many, one := unwrap(at.err)
			switch visit(at.err, at.parent, one == nil && len(many) == 0) {
			case stop:
				return
			case skip:
				many, one = nil, nil
			}
			if len(many) > 0 {
				one = many[0]
				for i := min(len(many), limit) - 1; i > 0; i-- { // the first is visited next
					waiting = append(waiting, node{many[i], at.err})
					limit-- // or a join of joins of itself would fill the memory
				}
			}
			at = node{one, at.err}
		}
		if len(waiting) == 0 {
			return
		}
		at = waiting[len(waiting)-1]
		waiting = waiting[:len(waiting)-1]
		limit++ // it was counted when it was put aside
	}
}

// find is errors.As without a target on the heap; it ends on a cycle and reads an AttemptsError as errors.As does: its
// Err, then its Stop. An error's own As method is asked as well.
func find[T any](err error) (found T, ok bool) {
	left := maxNodes
	return findWithin[T](err, &left)
}

func findWithin[T any](err error, left *int) (found T, ok bool) {
	for ; err != nil && *left > 0; *left-- {
		if found, ok = err.(T); ok {
			return found, true
		}
		if as, own := err.(interface{ As(any) bool }); own {
			target := new(T)
			if as.As(target) {
				return *target, true
			}
		}
		switch e := err.(type) {
		case interface{ Unwrap() error }:
			err = e.Unwrap()
		case interface{ Unwrap() []error }:
			for _, branch := range e.Unwrap() {
				if found, ok = findWithin[T](branch, left); ok {
					return found, true
				}
			}
			return found, false
		default:
			return found, false
		}
	}
	return found, false
}

func unwrap(err error) (many []error, one error) {
	switch e := err.(type) {
	case *AttemptsError:
		return nil, e.Err
	case interface{ Unwrap() error }:
		return nil, e.Unwrap()
	case interface{ Unwrap() []error }:
		return e.Unwrap(), nil
	}
	return nil, nil
}
