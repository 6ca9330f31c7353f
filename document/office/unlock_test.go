package office

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"github.com/richardlehane/mscfb"
	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/document/formattest"
	"github.com/clausemill/clausemill/fault"
)

const protected = "Password1234_"

// TestUnlock opens documents of Word and Excel, and gets their bytes from before.
func TestUnlock(t *testing.T) {
	t.Parallel()
	for name, hash := range map[string]string{
		"agile.docx":    "4276b311d5be2260a62d627bb54453006733dceae2f3a9b0fa1d751c82c367c6",
		"standard.docx": "4276b311d5be2260a62d627bb54453006733dceae2f3a9b0fa1d751c82c367c6",
	} {
		data, err := os.ReadFile("testdata/" + name)
		require.NoError(t, err)
		open, err := unlocked(data, protected)
		require.NoError(t, err, name)
		sum := sha256.Sum256(open)
		require.Equal(t, hash, hex.EncodeToString(sum[:]), name)
		for _, wrong := range []string{"", "password1234_", protected + "\x00"} {
			_, err := unlocked(data, wrong)
			require.Equal(t, fault.PasswordProtected, fault.CodeOf(err), name)
		}
	}
}

// memory is an output that is kept in memory.
type memory []byte

func (m *memory) Write(b []byte) (int, error) {
	*m = append(*m, b...)
	return len(b), nil
}

func (m *memory) WriteAt(b []byte, off int64) (int, error) { return copy((*m)[off:], b), nil }

func (m *memory) ReadAt(b []byte, off int64) (int, error) { return bytes.NewReader(*m).ReadAt(b, off) }

// unlocked is what Unlock writes.
func unlocked(data []byte, password string) ([]byte, error) {
	var open memory
	err := Unlock(bytes.NewReader(data), password, &open)
	return open, err
}

// TestUnlockIntegrity changes what is encrypted, which the document's sum shows.
func TestUnlockIntegrity(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/agile.docx")
	require.NoError(t, err)
	change := func(at func(size int64) int64, by byte) []byte {
		changed := memory(bytes.Clone(data))
		compound, err := mscfb.New(&changed)
		require.NoError(t, err)
		sealed := rootStreams(compound)["EncryptedPackage"]
		var b [1]byte
		_, err = sealed.ReadAt(b[:], at(sealed.Size))
		require.NoError(t, err)
		b[0] ^= by
		_, err = sealed.WriteAt(b[:], at(sealed.Size))
		require.NoError(t, err)
		return changed
	}
	for name, at := range map[string]func(int64) int64{
		"First":   func(int64) int64 { return 8 },
		"Middle":  func(size int64) int64 { return size / 2 },
		"Last":    func(size int64) int64 { return size - 1 },
		"ItsSize": func(int64) int64 { return 0 },
	} {
		_, err := unlocked(change(at, 0), protected)
		require.NoError(t, err, name)
		changed := change(at, 1)
		_, err = unlocked(changed, protected)
		require.Equal(t, fault.CorruptFile, fault.CodeOf(err), name)
		require.Contains(t, fault.Message(err), "damaged or changed", name)
		_, err = unlocked(changed, "wrong")
		require.Equal(t, fault.PasswordProtected, fault.CodeOf(err), name)
		without := bytes.ReplaceAll(changed, []byte("dataIntegrity"), []byte("dataOtherness"))
		require.NotEqual(t, changed, without)
		_, err = unlocked(without, protected)
		require.NoError(t, err, "%s: not every program writes a sum", name)
	}
	for _, from := range []string{"encryptedHmacKey", "encryptedHmacValue"} {
		lost := bytes.Replace(data, []byte(from), []byte(strings.Replace(from, "Hmac", "Lost", 1)), 1)
		_, err := unlocked(lost, protected)
		require.Equal(t, fault.CorruptFile, fault.CodeOf(err), from)
	}
}

// agile is what says that a document is encrypted in a way that has no password.
func agile(spins, bits, hash, cipher string) string {
	attributes := ` saltValue="AAAA" keyBits="` + bits + `" cipherAlgorithm="` + cipher + `" cipherChaining="ChainingModeCBC" hashAlgorithm="` + hash + `"`
	return "\x04\x00\x04\x00\x40\x00\x00\x00<encryption><keyData" + attributes + `/><keyEncryptors><keyEncryptor><encryptedKey spinCount="` + spins + `"` + attributes + ` encryptedKeyValue="AAAA"/></keyEncryptor></keyEncryptors></encryption>`
}

// TestUnlockUnsound has documents that are damaged, or encrypted in other ways.
func TestUnlockUnsound(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		info string
		want fault.Code
	}{
		"Empty":     {"", fault.UnsupportedType},
		"Other":     {"\x03\x00\x03\x00 and so on", fault.UnsupportedType},
		"NoXML":     {"\x04\x00\x04\x00\x40\x00\x00\x00<encr", fault.CorruptFile},
		"Spins":     {agile("2000000000", "256", "SHA512", "AES"), fault.UnsupportedType},
		"Bits":      {agile("1", "2560000", "SHA512", "AES"), fault.UnsupportedType},
		"Hash":      {agile("1", "256", "WHIRLPOOL", "AES"), fault.UnsupportedType},
		"Cipher":    {agile("1", "256", "SHA512", "RC4"), fault.UnsupportedType},
		"ShortKey":  {agile("1", "256", "SHA512", "AES"), fault.CorruptFile},
		"Standard":  {"\x04\x00\x02\x00\x24\x00\x00\x00\xff\xff\xff\xff" + strings.Repeat("x", 200), fault.CorruptFile},
		"Algorithm": {"\x04\x00\x02\x00\x24\x00\x00\x00\x20\x00\x00\x00" + strings.Repeat("x", 200), fault.UnsupportedType},
	} {
		_, err := unlocked(formattest.Compound(t, "EncryptionInfo", c.info, "EncryptedPackage", "y"), protected)
		require.Equal(t, c.want, fault.CodeOf(err), "%s: %v", name, err)
	}
	_, err := unlocked([]byte("no compound file"), protected)
	require.Error(t, err)
}

func FuzzUnlock(f *testing.F) {
	f.Add(agile("1", "256", "SHA512", "AES"), "\x01\x00\x00\x00\x00\x00\x00\x00"+strings.Repeat("x", 32))
	f.Add("\x04\x00\x02\x00\x24\x00\x00\x00\x20\x00\x00\x00"+strings.Repeat("\x0e\x66\x00\x00\x80\x00\x00\x00", 40), "\x01")
	f.Fuzz(func(t *testing.T, info, sealed string) {
		if len(info)+len(sealed) > 16<<10 {
			t.Skip("more than a compound file of the tests holds")
		}
		if open, err := unlocked(formattest.Compound(t, "EncryptionInfo", info, "EncryptedPackage", sealed), protected); err == nil {
			require.LessOrEqual(t, len(open), len(sealed)+8192)
		}
	})
}
