// Tesseract's ResultIterator yields words in reading order, also where a line has text in
// both directions. To find it, it walks from the first word of the page to the current line,
// several times a word: a twentieth of the work on a page. On a page without text from right
// to left, reading order is the order from left to right, which its base classes yield
// without that.

#include <cstdlib>
#include <cstring>
#include <tesseract/baseapi.h>
#include <tesseract/resultiterator.h>
#include <vector>

#include "words.h"

using namespace tesseract;

namespace {

// next and begins are virtual; called by the name of the base class, they keep to the order
// from left to right.
bool next(ResultIterator *it, bool ltr) {
	return ltr ? it->PageIterator::Next(RIL_WORD) : it->Next(RIL_WORD);
}

bool begins(ResultIterator *it, PageIteratorLevel level, bool ltr) {
	return ltr ? it->PageIterator::IsAtBeginningOf(level) : it->IsAtBeginningOf(level);
}

char *text(ResultIterator *it, bool ltr) {
	char *read = ltr ? it->LTRResultIterator::GetUTF8Text(RIL_WORD) : it->GetUTF8Text(RIL_WORD);
	char *copy = strdup(read == nullptr ? "" : read);
	delete[] read;
	return copy;
}

bool is_ltr(TessBaseAPI *api) {
	ResultIterator *it = api->GetIterator();
	if (it == nullptr) {
		return true;
	}
	bool all = true;
	it->PageIterator::Begin();
	do {
		if (!it->Empty(RIL_WORD)) {
			StrongScriptDirection direction = it->WordDirection();
			all = direction == DIR_LEFT_TO_RIGHT || direction == DIR_NEUTRAL;
		}
	} while (all && it->PageIterator::Next(RIL_WORD));
	delete it;
	return all;
}

}  // namespace

struct word *words(void *handle, int *count) {
	TessBaseAPI *api = static_cast<TessBaseAPI *>(handle);
	std::vector<word> found;
	bool ltr = is_ltr(api);
	int block = 0, paragraph = 0, line = 0;
	ResultIterator *it = api->GetIterator();
	while (it != nullptr && !it->Empty(RIL_BLOCK)) {
		if (it->Empty(RIL_WORD)) {
			next(it, ltr);
			continue;
		}
		if (begins(it, RIL_BLOCK, ltr)) {
			block++;
			paragraph = line = 0;
		}
		if (begins(it, RIL_PARA, ltr)) {
			paragraph++;
			line = 0;
		}
		if (begins(it, RIL_TEXTLINE, ltr)) {
			line++;
		}
		word w = {};
		w.text = text(it, ltr);
		w.confidence = it->Confidence(RIL_WORD);
		it->BoundingBox(RIL_WORD, &w.left, &w.top, &w.right, &w.bottom);
		w.block = block;
		w.paragraph = paragraph;
		w.line = line;
		found.push_back(w);
		next(it, ltr);
	}
	delete it;
	*count = static_cast<int>(found.size());
	word *out = static_cast<word *>(calloc(found.size() + 1, sizeof(word)));
	if (out == nullptr) {
		abort();
	}
	memcpy(out, found.data(), found.size() * sizeof(word));
	return out;
}
