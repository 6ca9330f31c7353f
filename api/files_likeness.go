package api

import (
	"context"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/nlp"
)

// filesLikeness serves near duplicates of files.
func (a *API) filesLikeness() {
	session := a.area("Files", withSession)
	get(session, "/api/files/{fileId}/likeness", "listLikenesses", "List files that are almost the same", a.listLikenesses, describe(
		"Lists near duplicates of a file, most similar first. They are found when the file is analysed, and when later files are. "+
			"A `duplicate` is the same document, apart from recognition errors such as those of a scan. A `version` is the same contract with changes. A `template` is the same form with other parties."))
	get(session, "/api/files/{fileId}/likeness/{id}", "compareFiles", "Compare a file with another", a.compareFiles, describe(
		"Compares the present texts of two files word by word, whether or not they are listed as near duplicates. 409 where one of them has no text."))
}

// LikeFile is a near duplicate of a file.
type LikeFile struct {
	FileID  string  `json:"fileId"`
	Name    string  `json:"name"`
	Kind    string  `json:"kind" enum:"duplicate,version,template"`
	Percent float64 `json:"percent" minimum:"0" maximum:"100" doc:"Share of common words among all words of both files, in percent"`
}

func newLikeFile(l db.Likeness) LikeFile {
	return LikeFile{l.FileID, l.Name, l.Kind, 100 * float64(l.Share)}
}

// addLikenesses adds the duplicates of a file, and the file that it is a version of.
func (a *API) addLikenesses(ctx context.Context, f *File) error {
	alike, err := a.DB.Likenesses(ctx, auth.Scope(ctx), f.ID)
	if err != nil {
		return err
	}
	for _, l := range alike {
		if l.Kind == string(nlp.LikeDuplicate) {
			f.Duplicates = append(f.Duplicates, newLikeFile(l))
		}
	}
	version, err := a.DB.VersionOf(ctx, auth.Scope(ctx), f.ID)
	if fault.KindOf(err) == fault.NotFound {
		return nil
	}
	like := newLikeFile(version)
	f.VersionOf = &like
	return err
}

// LikeFiles are the near duplicates of a file.
type LikeFiles struct {
	Items []LikeFile `json:"items" nullable:"false"`
}

func (a *API) listLikenesses(ctx context.Context, in *FileRef) (LikeFiles, error) {
	if _, err := a.DB.File(ctx, auth.Scope(ctx), in.FileID); err != nil {
		return LikeFiles{}, err
	}
	rows, err := a.DB.Likenesses(ctx, auth.Scope(ctx), in.FileID)
	return LikeFiles{newList(rows, newLikeFile).Items}, err
}

// ComparedFiles is the similarity of two files.
type ComparedFiles struct {
	FileID      string  `json:"fileId"`
	OtherFileID string  `json:"otherFileId"`
	Kind        *string `json:"kind,omitempty" enum:"duplicate,version,template" doc:"Absent where the files have too little in common"`
	Percent     float64 `json:"percent" minimum:"0" maximum:"100" doc:"Share of common words among all words of both files, in percent"`
	Changed     int     `json:"changed" doc:"Number of words that only one of the files has, not counting recognition errors"`
}

func (a *API) compareFiles(ctx context.Context, in *struct {
	FileRef
	IDRef
}) (ComparedFiles, error) {
	first, err := a.reading(ctx, in.FileID)
	if err != nil {
		return ComparedFiles{}, err
	}
	second, err := a.reading(ctx, in.ID)
	if err != nil {
		return ComparedFiles{}, err
	}
	l := nlp.CompareTexts(first, second)
	return ComparedFiles{in.FileID, in.ID, orNull(string(l.Kind)), 100 * l.Share, l.Changed}, nil
}

// reading is the text of a file as it is compared.
func (a *API) reading(ctx context.Context, fileID string) (nlp.Reading, error) {
	text, err := a.DB.FileText(ctx, auth.Scope(ctx), fileID)
	if err == nil && !text.Ready {
		err = errNoText
	}
	return nlp.NewReading(text.Text, text.Parties, text.Recognized), err
}
