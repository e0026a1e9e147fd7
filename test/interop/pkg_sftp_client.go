// Go's pkg/sftp as ERP programmers use it: pkg_sftp_client PORT KNOWN_HOSTS LOGIN PASSWORD VERB ARGUMENT...
package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"
)

func upload(client *sftp.Client, local, remote string, flags int, start int64) error {
	from, err := os.Open(local)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := client.OpenFile(remote, flags)
	if err != nil {
		return err
	}
	if _, err = from.Seek(start, io.SeekStart); err == nil {
		_, err = to.Seek(start, io.SeekStart)
	}
	if err == nil {
		_, err = io.Copy(to, from)
	}
	if closed := to.Close(); err == nil {
		err = closed
	}
	return err
}

func run(client *sftp.Client, verb string, arguments []string) error {
	const anew = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	first := arguments[0]
	last := arguments[len(arguments)-1]
	switch verb {
	case "put":
		return upload(client, first, last, anew, 0)
	case "putBeside":
		if err := upload(client, first, arguments[1], anew, 0); err != nil {
			return err
		}
		return client.PosixRename(arguments[1], last)
	case "putKeeping":
		if err := upload(client, first, last, anew, 0); err != nil {
			return err
		}
		when := time.Unix(1772445600, 0)
		if err := client.Chtimes(last, when, when); err != nil {
			return err
		}
		return client.Chmod(last, 0o640)
	case "resume":
		there, err := client.Stat(last)
		if err != nil {
			return err
		}
		return upload(client, first, last, os.O_WRONLY, there.Size())
	case "list":
		entries, err := client.ReadDir(first)
		for _, entry := range entries {
			fmt.Println(entry.Name())
		}
		return err
	case "get":
		from, err := client.Open(first)
		if err != nil {
			return err
		}
		to, err := os.Create(last)
		if err != nil {
			return err
		}
		if _, err = io.Copy(to, from); err != nil {
			return err
		}
		return to.Close()
	case "remove":
		return client.Remove(first)
	case "rename":
		return client.Rename(first, last)
	case "makeFolder":
		return client.Mkdir(first)
	}
	return fmt.Errorf("no verb %s", verb)
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	port, login, password, verb := os.Args[1], os.Args[3], os.Args[4], os.Args[5]
	check, err := knownhosts.New(os.Args[2])
	fail(err)
	config := &ssh.ClientConfig{
		User:              login,
		Auth:              []ssh.AuthMethod{ssh.Password(password)},
		HostKeyCallback:   check,
		HostKeyAlgorithms: []string{ssh.KeyAlgoED25519},
	}
	connection, err := ssh.Dial("tcp", "127.0.0.1:"+port, config)
	fail(err)
	client, err := sftp.NewClient(connection)
	fail(err)
	err = run(client, verb, os.Args[6:])
	client.Close()
	fail(err)
}
