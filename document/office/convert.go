package office

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/clausemill/clausemill/document/format"
	"github.com/clausemill/clausemill/fault"
)

// conversionTime limits the duration of a conversion. It is shorter than the limit of a
// request, so that the error names the conversion and not the reader. An ordinary
// contract takes two seconds; the rest allows for busy machines.
const conversionTime = 3 * time.Minute

// profile keeps LibreOffice from running macros of a document and from fetching
// what it links to.
const profile = `<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema">
<item oor:path="/org.openoffice.Office.Common/Security/Scripting"><prop oor:name="MacroSecurityLevel" oor:op="fuse"><value>3</value></prop></item>
<item oor:path="/org.openoffice.Office.Common/Security/Scripting"><prop oor:name="DisableMacrosExecution" oor:op="fuse"><value>true</value></prop></item>
<item oor:path="/org.openoffice.Office.Common/Security/Scripting"><prop oor:name="BlockUntrustedRefererLinks" oor:op="fuse"><value>true</value></prop></item>
<item oor:path="/org.openoffice.Office.Common/Security/Scripting"><prop oor:name="DisableActiveContent" oor:op="fuse"><value>true</value></prop></item>
</oor:items>
`

// restart is the exit status by which LibreOffice asks to be started again,
// having written a new profile.
const restart = 81

// conversion is from one format to another. LibreOffice selects formats by extension.
type conversion struct {
	from, to string // extensions
	filter   string // LibreOffice's name of the export filter
	failed   string // the message for the owner of the file
}

var fromDOC = conversion{"doc", "docx", "MS Word 2007 XML", "the DOC file could not be converted; save it as DOCX"}

// toPDF lays out files of a kind, which is also their extension.
func toPDF(kind format.Kind) conversion {
	return conversion{string(kind), "pdf", "writer_pdf_Export:" + withComments, "the document could not be laid out as PDF; download it as it is"}
}

// withComments has comments printed as annotations, and in the margin where LibreOffice
// can draw them there.
const withComments = `{"ExportNotes":{"type":"boolean","value":"true"},"ExportNotesInMargin":{"type":"boolean","value":"true"}}`

// convert turns the file at path into another one inside dir and returns its
// path. Each conversion has a profile of its own, because two processes cannot
// share one and a document must not leave anything behind in it.
func convert(ctx context.Context, converter string, c conversion, path, dir string, patience time.Duration) (string, error) {
	user := filepath.Join(dir, "profile", "user")
	if err := os.MkdirAll(user, 0o700); err != nil {
		return "", fmt.Errorf("make a profile: %w", err)
	}
	if err := os.WriteFile(filepath.Join(user, "registrymodifications.xcu"), []byte(profile), 0o600); err != nil {
		return "", fmt.Errorf("make a profile: %w", err)
	}
	// LibreOffice selects the format by the file name. The name on disk does not
	// show the format, so LibreOffice gets a link that does.
	source := filepath.Join(dir, "source."+c.from)
	absolute, err := filepath.Abs(path)
	if err == nil {
		err = os.Symlink(absolute, source)
	}
	if err != nil {
		return "", fmt.Errorf("name the source: %w", err)
	}
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	result := filepath.Join(dir, "source."+c.to)
	output, err := runConverter(limited, converter, c, source, dir)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if fullDisk(dir) {
		return "", fault.Wrap(fault.NoSpace, "there is no space for temporary files; try again later", errors.Join(err, errors.New(output)))
	}
	if limited.Err() != nil {
		return "", fault.File(fault.ConversionFailed, fmt.Sprintf("%s (it took longer than %s)", c.failed, patience), err)
	}
	if _, missing := os.Stat(result); err != nil || missing != nil {
		return "", fault.File(fault.ConversionFailed, c.failed,
			errors.Join(err, missing, errors.New(output)))
	}
	return result, nil
}

// fullDisk reports whether the disk of dir has almost no space left. Then a failed
// conversion is not the document's fault.
func fullDisk(dir string) bool {
	const least = 1 << 20
	var disk unix.Statfs_t
	return unix.Statfs(dir, &disk) == nil && disk.Bavail*uint64(disk.Bsize) < least
}

// maxOutput bounds the output of the converter that is kept for the log, in bytes.
const maxOutput = 2048

func runConverter(ctx context.Context, converter string, c conversion, source, dir string) (output string, err error) {
	for range 2 {
		var said bytes.Buffer
		cmd := exec.CommandContext(ctx, behind(converter),
			"-env:UserInstallation=file://"+filepath.Join(dir, "profile"),
			"--headless", "--invisible", "--nologo", "--norestore", "--nolockcheck", "--nodefault",
			"--convert-to", c.to+":"+c.filter, "--outdir", dir, source)
		// It stays in this process's group, with which it is killed.
		cmd.Dir = dir
		// Without a display, a proxy, or secrets of the parent.
		cmd.Env = []string{
			"HOME=" + dir, "TMPDIR=" + dir, "PATH=/usr/bin:/bin", "LANG=C.UTF-8", "SAL_USE_VCLPLUGIN=svp",
			"http_proxy=http://127.0.0.1:9", "https_proxy=http://127.0.0.1:9",
		}
		cmd.Stdout, cmd.Stderr = &said, &said
		cmd.WaitDelay = time.Second
		err = cmd.Run()
		output = string(said.Bytes()[:min(said.Len(), maxOutput)])
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != restart {
			break
		}
	}
	return output, err
}

// behind finds the program that LibreOffice's start script runs: killing the script
// would leave the program running.
func behind(converter string) string {
	script, err := filepath.EvalSymlinks(converter)
	if err != nil {
		return converter
	}
	program := filepath.Join(filepath.Dir(script), "soffice.bin")
	if _, err := os.Stat(program); err != nil {
		return converter
	}
	return program
}
