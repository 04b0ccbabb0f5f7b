package command

import (
	"errors"
	"os"
	"path/filepath"
)

// replace writes a file as a whole or not at all: whoever reads it meanwhile sees the old one.
func replace(name string, data []byte) (err error) {
	file, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(file.Name()))
		}
	}()
	_, err = file.Write(data)
	if err == nil {
		err = file.Chmod(0o644) // CreateTemp's is for secrets
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), name)
}
