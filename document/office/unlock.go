package office

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
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
// is encrypted is a whole DOCX, in a stream of a compound file.

var (
	errPassword   = fault.File(fault.PasswordProtected, "the password is wrong", nil)
	errEncryption = fault.File(fault.UnsupportedType, "the document is encrypted in a way that is not supported; open it in the program that it is from, and save it without a password", nil)
	errEncrypted  = fault.File(fault.CorruptFile, "the encrypted document cannot be read; it may be cut short", nil)
)

const (
	maxSpins   = 10_000_000 // the most that the format allows; Office writes 100,000
	maxInfo    = 1 << 20    // bytes of what says how a document is encrypted
	maxSegment = 4096       // bytes of a package that are encrypted together
)

// Unlock writes the document in the compound file r, which password opens, to w.
func Unlock(r io.ReaderAt, password string, w io.Writer) error {
	compound, err := mscfb.New(r)
	if err != nil {
		return errEncryption
	}
	streams := map[string]*mscfb.File{}
	for _, f := range compound.File {
		if len(f.Path) == 0 {
			streams[f.Name] = f
		}
	}
	about, sealed := streams["EncryptionInfo"], streams["EncryptedPackage"]
	if about == nil || sealed == nil {
		return errEncryption
	}
	info, err := io.ReadAll(io.LimitReader(about, maxInfo))
	if err != nil || len(info) < 8 {
		return errEncrypted
	}
	units := utf16.Encode([]rune(password))
	secret := make([]byte, 2*len(units))
	for i, u := range units {
		binary.LittleEndian.PutUint16(secret[2*i:], u)
	}
	var decrypt decrypter
	switch major, minor := binary.LittleEndian.Uint16(info), binary.LittleEndian.Uint16(info[2:]); {
	case major == 4 && minor == 4:
		decrypt, err = openAgile(info[8:], secret)
	case major >= 2 && major <= 4 && minor == 2:
		decrypt, err = openStandard(info[8:], secret)
	default:
		err = errEncryption
	}
	if err != nil {
		return err
	}
	return writePackage(sealed, decrypt, w)
}

// A decrypter decrypts the segment of a number, in place.
type decrypter func(segment uint32, data []byte)

// writePackage writes what is in a stream: its size, and segments in whole blocks.
func writePackage(sealed *mscfb.File, decrypt decrypter, w io.Writer) error {
	var head [8]byte
	if _, err := io.ReadFull(sealed, head[:]); err != nil {
		return errEncrypted
	}
	left := binary.LittleEndian.Uint64(head[:])
	if left > uint64(max(0, sealed.Size)) {
		return errEncrypted
	}
	buffer := make([]byte, maxSegment)
	for segment := uint32(0); left > 0; segment++ {
		n, err := io.ReadFull(sealed, buffer)
		if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) || n < aes.BlockSize {
			return errEncrypted
		}
		data := buffer[:n/aes.BlockSize*aes.BlockSize]
		decrypt(segment, data)
		if uint64(len(data)) > left {
			data = data[:left]
		}
		if _, err := w.Write(data); err != nil {
			return err
		}
		left -= uint64(len(data))
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
)

func openAgile(data, secret []byte) (decrypter, error) {
	var info agileInfo
	if err := xml.Unmarshal(data, &info); err != nil {
		return nil, errEncrypted
	}
	if err := info.Data.check(); err != nil {
		return nil, err
	}
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
			sealed, err := decodeText(text)
			if err != nil || len(sealed) == 0 || len(sealed)%aes.BlockSize != 0 {
				return nil
			}
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
		return func(segment uint32, data []byte) {
			vector := digest(info.Data.hash, info.Data.Salt, binary.LittleEndian.AppendUint32(nil, segment))
			info.Data.decrypt(key[:info.Data.KeyBits/8], padded(vector, aes.BlockSize), data)
		}, nil
	}
	return nil, errEncryption
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
