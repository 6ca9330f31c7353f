package office

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // what the format says
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/binary"
	"encoding/xml"
	"errors"
	"hash"
	"io"
	"unicode/utf16"

	"github.com/richardlehane/mscfb"

	"github.com/clausemill/clausemill/fault"
)

// This file opens Office documents that are encrypted with a password ([MS-OFFCRYPTO]):
// "agile", which Office 2010 and later write, and "standard", that of Office 2007. What
// is encrypted is a whole DOCX, in a stream of a compound file. For DOC see unlock_doc.go.

var (
	errPassword   = fault.File(fault.PasswordProtected, "the password is wrong", nil)
	errEncryption = fault.File(fault.UnsupportedType, "the document is encrypted in a way that is not supported; open it in the program that it is from, and save it without a password", nil)
	errEncrypted  = fault.File(fault.CorruptFile, "the encrypted document cannot be read; it may be cut short", nil)
	errChanged    = fault.File(fault.CorruptFile, "the encrypted document was damaged or changed after it was encrypted; get it again from where it came from", nil)
)

const (
	maxSpins   = 10_000_000 // the most that the format allows; Office writes 100,000
	maxInfo    = 1 << 20    // bytes of what says how a document is encrypted
	maxSegment = 4096       // bytes of a package that are encrypted together
)

// Output is an empty file that Unlock writes.
type Output interface {
	io.Writer
	io.WriterAt
}

// Unlock writes the document in the compound file r, which password opens, to w.
func Unlock(r io.ReaderAt, password string, w Output) error {
	compound, err := mscfb.New(r)
	if err != nil {
		return errEncryption
	}
	streams := rootStreams(compound)
	about, sealed := streams["EncryptionInfo"], streams["EncryptedPackage"]
	if about == nil || sealed == nil {
		if streams["WordDocument"] != nil {
			return unlockDOC(r, streams, password, w)
		}
		return errEncryption
	}
	info, err := io.ReadAll(io.LimitReader(about, maxInfo))
	if err != nil || len(info) < 8 {
		return errEncrypted
	}
	secret := secretOf(password)
	var p opened
	switch major, minor := binary.LittleEndian.Uint16(info), binary.LittleEndian.Uint16(info[2:]); {
	case major == 4 && minor == 4:
		p, err = openAgile(info[8:], secret)
	case major >= 2 && major <= 4 && minor == 2:
		p.decrypt, err = openStandard(info[8:], secret)
	default:
		err = errEncryption
	}
	if err != nil {
		return err
	}
	return writePackage(sealed, p, w)
}

// rootStreams are the streams that are in no storage of a compound file.
func rootStreams(compound *mscfb.Reader) map[string]*mscfb.File {
	streams := map[string]*mscfb.File{}
	for _, f := range compound.File {
		if len(f.Path) == 0 {
			streams[f.Name] = f
		}
	}
	return streams
}

// secretOf is a password as it is hashed.
func secretOf(password string) []byte {
	var secret []byte
	for _, u := range utf16.Encode([]rune(password)) {
		secret = binary.LittleEndian.AppendUint16(secret, u)
	}
	return secret
}

// A decrypter decrypts the segment of a number, in place.
type decrypter func(segment uint32, data []byte)

// opened is a package whose key is known.
type opened struct {
	decrypt decrypter
	mac     hash.Hash // of the whole stream, or nil where nothing tells what it must be
	want    []byte    // what mac must come to
}

// writePackage writes what is in a stream: its size, and segments in whole blocks.
func writePackage(sealed io.Reader, p opened, w io.Writer) error {
	if p.mac != nil {
		sealed = io.TeeReader(sealed, p.mac)
	}
	var head [8]byte
	if _, err := io.ReadFull(sealed, head[:]); err != nil {
		return errEncrypted
	}
	left := binary.LittleEndian.Uint64(head[:])
	buffer := make([]byte, maxSegment)
	for segment := uint32(0); left > 0; segment++ {
		n, err := io.ReadFull(sealed, buffer)
		if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) || n < aes.BlockSize {
			return errEncrypted
		}
		data := buffer[:n/aes.BlockSize*aes.BlockSize]
		p.decrypt(segment, data)
		if uint64(len(data)) > left {
			data = data[:left]
		}
		if _, err := w.Write(data); err != nil {
			return err
		}
		left -= uint64(len(data))
	}
	if p.mac == nil {
		return nil
	}
	if _, err := io.Copy(io.Discard, sealed); err != nil { // what fills up the last block
		return errEncrypted
	}
	if !hmac.Equal(p.mac.Sum(nil), p.want) {
		return errChanged
	}
	return nil
}

// agileKey says how something is encrypted.
type agileKey struct {
	Salt     []byte `xml:"-"`
	SaltText string `xml:"saltValue,attr"`
	KeyBits  int    `xml:"keyBits,attr"`
	Cipher   string `xml:"cipherAlgorithm,attr"`
	Chaining string `xml:"cipherChaining,attr"`
	Hash     string `xml:"hashAlgorithm,attr"`
	hash     func() hash.Hash
}

// agileInfo is the stream that says how a document is encrypted.
type agileInfo struct {
	Data      agileKey `xml:"keyData"`
	Integrity *struct {
		Key   string `xml:"encryptedHmacKey,attr"`
		Value string `xml:"encryptedHmacValue,attr"`
	} `xml:"dataIntegrity"`
	Passwords []struct {
		agileKey
		Spins         int    `xml:"spinCount,attr"`
		VerifierInput string `xml:"encryptedVerifierHashInput,attr"`
		VerifierHash  string `xml:"encryptedVerifierHashValue,attr"`
		Key           string `xml:"encryptedKeyValue,attr"`
	} `xml:"keyEncryptors>keyEncryptor>encryptedKey"`
}

// The names of what is derived from a password.
var (
	forInput = []byte{0xfe, 0xa7, 0xd2, 0x76, 0x3b, 0x4b, 0x9e, 0x79}
	forHash  = []byte{0xd7, 0xaa, 0x0f, 0x6d, 0x30, 0x61, 0x34, 0x4e}
	forKey   = []byte{0x14, 0x6e, 0x0b, 0xe7, 0xab, 0xac, 0xd0, 0xd6}
	forMAC   = []byte{0x5f, 0xb2, 0xad, 0x01, 0x0c, 0xb9, 0xe1, 0xf6}
	forSum   = []byte{0xa0, 0x67, 0x7f, 0x02, 0xb2, 0x2c, 0x84, 0x33}
)

func openAgile(data, secret []byte) (opened, error) {
	var info agileInfo
	if err := xml.Unmarshal(data, &info); err != nil {
		return opened{}, errEncrypted
	}
	if err := info.Data.check(); err != nil {
		return opened{}, err
	}
	key, err := info.key(secret)
	if err != nil {
		return opened{}, err
	}
	p := opened{decrypt: func(segment uint32, data []byte) {
		info.Data.decrypt(key, info.Data.vector(binary.LittleEndian.AppendUint32(nil, segment)), data)
	}}
	if info.Integrity == nil {
		return p, nil
	}
	open := func(text string, purpose []byte) []byte {
		sealed := wholeBlocks(text)
		info.Data.decrypt(key, info.Data.vector(purpose), sealed)
		return sealed
	}
	mac, sum, size := open(info.Integrity.Key, forMAC), open(info.Integrity.Value, forSum), info.Data.hash().Size()
	if len(mac) < size || len(sum) < size {
		return opened{}, errEncrypted
	}
	p.mac, p.want = hmac.New(info.Data.hash, mac[:size]), sum[:size]
	return p, nil
}

// key finds what the document is encrypted with, which a password opens.
func (info *agileInfo) key(secret []byte) ([]byte, error) {
	for i := range info.Passwords { // others are certificates
		p := &info.Passwords[i]
		if p.Key == "" {
			continue
		}
		if err := p.check(); err != nil {
			return nil, err
		}
		if p.Spins < 0 || p.Spins > maxSpins {
			return nil, errEncryption
		}
		spun := spin(p.hash, p.Salt, secret, p.Spins)
		open := func(text string, purpose []byte) []byte {
			sealed := wholeBlocks(text)
			p.decrypt(padded(digest(p.hash, spun, purpose), p.KeyBits/8), padded(p.Salt, aes.BlockSize), sealed)
			return sealed
		}
		input, want, key := open(p.VerifierInput, forInput), open(p.VerifierHash, forHash), open(p.Key, forKey)
		got := digest(p.hash, input[:min(len(input), len(p.Salt))])
		if len(want) < len(got) || len(key) < info.Data.KeyBits/8 {
			return nil, errEncrypted
		}
		if !bytes.Equal(got, want[:len(got)]) {
			return nil, errPassword
		}
		return key[:info.Data.KeyBits/8], nil
	}
	return nil, errEncryption
}

// wholeBlocks decodes what is encrypted in whole blocks; anything else is nil.
func wholeBlocks(text string) []byte {
	sealed, err := decodeText(text)
	if err != nil || len(sealed)%aes.BlockSize != 0 {
		return nil
	}
	return sealed
}

// vector is the first vector of what is encrypted for a purpose, or of a segment.
func (k *agileKey) vector(purpose []byte) []byte {
	return padded(digest(k.hash, k.Salt, purpose), aes.BlockSize)
}

// check reports whether k is something that can be decrypted.
func (k *agileKey) check() (err error) {
	k.hash = map[string]func() hash.Hash{"SHA1": sha1.New, "SHA-1": sha1.New, "SHA256": sha256.New, "SHA384": sha512.New384, "SHA512": sha512.New}[k.Hash]
	if k.hash == nil || k.Cipher != "AES" || k.Chaining != "ChainingModeCBC" || k.KeyBits != 128 && k.KeyBits != 192 && k.KeyBits != 256 {
		return errEncryption
	}
	if k.Salt, err = decodeText(k.SaltText); err != nil || len(k.Salt) == 0 {
		return errEncrypted
	}
	return nil
}

// decrypt decrypts whole blocks, in place. The key has the length of one.
func (k *agileKey) decrypt(key, vector, data []byte) {
	block, err := aes.NewCipher(key)
	if err == nil {
		cipher.NewCBCDecrypter(block, vector).CryptBlocks(data, data)
	}
}

// standardSpins is how often a password is hashed in "standard" encryption.
const standardSpins = 50_000

// openStandard reads a header, whose size comes first, and a verifier.
func openStandard(data, secret []byte) (decrypter, error) {
	const algorithm, keyBits, least, verifier = 8, 16, 32, 4 + 16 + 16 + 4 + 32
	if len(data) < 4 {
		return nil, errEncrypted
	}
	size := int64(binary.LittleEndian.Uint32(data))
	data = data[4:]
	if size < least || size+verifier > int64(len(data)) {
		return nil, errEncrypted
	}
	bits := binary.LittleEndian.Uint32(data[keyBits:])
	if a := binary.LittleEndian.Uint32(data[algorithm:]); a>>8 != 0x66 || bits != 128 && bits != 192 && bits != 256 { // AES is 0x660e to 0x6610
		return nil, errEncryption
	}
	v := data[size+4:]
	salt, input, want := v[:16], v[16:32], v[36:68]
	spun := digest(sha1.New, spin(sha1.New, salt, secret, standardSpins), make([]byte, 4))
	var key []byte
	for _, fill := range []byte{0x36, 0x5c} {
		mixed := bytes.Repeat([]byte{fill}, 64)
		for i, b := range spun {
			mixed[i] ^= b
		}
		key = append(key, digest(sha1.New, mixed)...)
	}
	block, err := aes.NewCipher(key[:bits/8])
	if err != nil {
		return nil, errEncryption
	}
	decrypt := func(_ uint32, data []byte) {
		for ; len(data) >= aes.BlockSize; data = data[aes.BlockSize:] {
			block.Decrypt(data, data)
		}
	}
	decrypt(0, input)
	decrypt(0, want)
	if got := digest(sha1.New, input); !bytes.Equal(got, want[:len(got)]) {
		return nil, errPassword
	}
	return decrypt, nil
}

// spin hashes a password many times, so that trying many takes long.
func spin(hash func() hash.Hash, salt, secret []byte, times int) []byte {
	h := hash()
	_, _ = h.Write(salt) // which never fails
	_, _ = h.Write(secret)
	spun := h.Sum(nil)
	var number [4]byte
	for i := range uint32(times) { //nolint:gosec // at most maxSpins
		binary.LittleEndian.PutUint32(number[:], i)
		h.Reset()
		_, _ = h.Write(number[:])
		_, _ = h.Write(spun)
		spun = h.Sum(spun[:0])
	}
	return spun
}

func digest(hash func() hash.Hash, parts ...[]byte) []byte {
	h := hash()
	for _, p := range parts {
		_, _ = h.Write(p)
	}
	return h.Sum(nil)
}

// padded is b with a length, cut or filled up.
func padded(b []byte, length int) []byte {
	return append(bytes.Clone(b), bytes.Repeat([]byte{0x36}, length)...)[:length]
}

func decodeText(s string) ([]byte, error) { return base64.StdEncoding.DecodeString(s) }
