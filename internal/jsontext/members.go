package jsontext

import "strings"

// Member is one key of an object with its value's text.
type Member struct{ Key, Text string }

// Members returns the members of an RFC 8259 object in their order; ok is false for any other text.
func Members(text string) (members []Member, ok bool) {
	v, fault := Scan(text, 0, RFC8259)
	if fault.Kind != NoFault || text[v.Start] != '{' || strings.TrimRight(text[v.End:], " \t\r\n") != "" {
		return nil, false
	}
	d := decoder{p: scanner{s: text}}
	for d.i = d.p.space(v.Start + 1); text[d.i] != '}'; d.comma() {
		key := d.str()
		d.i = d.p.space(d.i)
		sub, _ := Scan(text, d.i+1, RFC8259)
		members = append(members, Member{key, sub.Text(text)})
		d.i = sub.End
	}
	return members, true
}

// Merge applies a JSON merge patch (RFC 7396) to an RFC 8259 text. Keys keep their order, new ones come last.
func Merge(target, patch string) string {
	changes, ok := Members(patch)
	if !ok {
		return strings.TrimSpace(patch)
	}
	members, _ := Members(target)
	for _, change := range changes {
		at := 0
		for at < len(members) && members[at].Key != change.Key {
			at++
		}
		switch {
		case change.Text == "null":
			if at < len(members) {
				members = append(members[:at], members[at+1:]...)
			}
		case at < len(members):
			members[at].Text = Merge(members[at].Text, change.Text)
		default:
			members = append(members, Member{change.Key, Merge("", change.Text)})
		}
	}
	b := []byte{'{'}
	for i, m := range members {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendString(b, m.Key), ':')
		b = append(b, m.Text...)
	}
	return string(append(b, '}'))
}
