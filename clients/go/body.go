package clausemill

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"mime/multipart"
	"net/textproto"
	"os"
	pathpkg "path"
	"path/filepath"
	"slices"
	"strings"
)

// Source is the bytes of a file and their hash, taken at one moment.
type Source struct {
	Path   string
	Name   string // what the server calls it
	Size   int64
	SHA256 string // hex
	Folder string `json:",omitempty"` // its folder, with slashes: the server keeps it as the path

	content []byte // in place of what is at the path
}

// NewSource is a source that is in memory.
func NewSource(name string, content []byte) Source {
	sum := sha256.Sum256(content)
	return Source{Name: name, Size: int64(len(content)), SHA256: hex.EncodeToString(sum[:]), content: content}
}

func (s Source) open() (io.ReadCloser, error) {
	if s.content != nil {
		return io.NopCloser(bytes.NewReader(s.content)), nil
	}
	return os.Open(s.Path)
}

// ReadSource hashes the file at path.
func ReadSource(path string) (Source, error) {
	f, err := os.Open(path)
	if err != nil {
		return Source{}, err
	}
	defer f.Close()
	sum := sha256.New()
	size, err := io.Copy(sum, f)
	if err != nil {
		return Source{}, err
	}
	return Source{Path: path, Name: filepath.Base(path), Size: size, SHA256: hex.EncodeToString(sum.Sum(nil))}, nil
}

// errChanged ends an upload whose file is no longer the one that was hashed.
var errChanged = errors.New("the file changed while it was being sent: try again when nothing writes to it")

// body is a multipart form with files, read from disk as they are sent.
type body struct {
	io.Reader

	files       []*content
	size        int64 // of the whole form: the server can refuse it at once
	contentType string
}

func (b *body) Close() error {
	var err error
	for _, f := range b.files {
		err = errors.Join(err, f.close())
	}
	return err
}

// form is what is sent: fields, and files.
type form struct {
	fields  [][2]string
	sources []Source
	sent    func(source int, bytes int64) // may be nil
	err     error                         // of a field that cannot be written
}

// field adds one that has a value.
func (f *form) field(name, value string) {
	if value != "" {
		f.fields = append(f.fields, [2]string{name, value})
	}
}

// newBody writes the form around the files. Its boundary follows from the key,
// so that another attempt sends the same bytes.
func newBody(f form, key string, alive func()) (*body, error) {
	var around bytes.Buffer
	form := multipart.NewWriter(&around)
	if err := form.SetBoundary(boundary(key)); err != nil {
		return nil, err
	}
	// Fields go first: the server then knows them before the files come.
	for _, field := range f.fields {
		if err := form.WriteField(field[0], field[1]); err != nil {
			return nil, err
		}
	}
	b := &body{contentType: form.FormDataContentType()}
	var parts []io.Reader
	// flush moves what the form has written into the body.
	flush := func() {
		b.size += int64(around.Len())
		parts = append(parts, bytes.NewReader(bytes.Clone(around.Bytes())))
		around.Reset()
	}
	for i, source := range f.sources {
		header := textproto.MIMEHeader{}
		header.Set("Content-Disposition", fmt.Sprintf(`form-data; name="file"; filename="%s"`, escapeQuotes(source.Name)))
		header.Set("Content-Type", "application/octet-stream")
		if _, err := form.CreatePart(header); err != nil {
			return nil, err
		}
		flush()
		c := &content{sum: sha256.New(), want: source, alive: alive}
		if f.sent != nil {
			c.sent = func(bytes int64) { f.sent(i, bytes) }
		}
		b.files, parts, b.size = append(b.files, c), append(parts, c), b.size+source.Size
	}
	if err := form.Close(); err != nil {
		return nil, err
	}
	flush()
	b.Reader = io.MultiReader(parts...)
	return b, nil
}

// form is the form of an upload.
func (u Upload) form() form {
	f := form{sources: u.Sources, sent: u.Sent}
	f.field("documentTypeId", u.DocumentTypeID)
	f.field("matterId", u.MatterID)
	if len(u.Metadata) > 0 {
		var metadata []byte
		metadata, f.err = json.Marshal(u.Metadata)
		f.field("metadata", string(metadata))
	}
	if slices.ContainsFunc(u.Sources, func(s Source) bool { return s.Folder != "" }) {
		for _, s := range u.Sources { // with the name behind it, since a folder may be called like a file in it
			f.field("path", pathpkg.Join(s.Folder, s.Name))
		}
	}
	return f
}

func boundary(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:30])
}

// escapeQuotes is how browsers write a file name into the header.
func escapeQuotes(name string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `%22`, "\r", "%0D", "\n", "%0A").Replace(name)
}

// content passes the bytes of a file on and fails before the last ones if they
// are not those that were hashed: the server then never has a whole request.
// The file is open only while it is read, as a form may have hundreds.
type content struct {
	file  io.ReadCloser
	sum   hash.Hash
	want  Source
	at    int64
	alive func()
	sent  func(int64)
}

func (c *content) Read(p []byte) (int, error) {
	if c.file == nil {
		var err error
		if c.file, err = c.want.open(); err != nil {
			return 0, permanent{err}
		}
	}
	n, err := c.file.Read(p)
	c.sum.Write(p[:n])
	c.at += int64(n)
	if c.at > c.want.Size || c.at == c.want.Size && n > 0 && !c.same() || errors.Is(err, io.EOF) && c.at < c.want.Size {
		return 0, permanent{errChanged}
	}
	c.alive()
	if c.sent != nil {
		c.sent(c.at)
	}
	if err != nil {
		err = cmp.Or(c.close(), err)
	}
	return n, err
}

func (c *content) same() bool { return hex.EncodeToString(c.sum.Sum(nil)) == c.want.SHA256 }

func (c *content) close() error {
	if c.file == nil {
		return nil
	}
	err := c.file.Close()
	if errors.Is(err, os.ErrClosed) { // at its end
		return nil
	}
	return err
}
