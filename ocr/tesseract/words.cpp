// Tesseract's iterator of results puts each word into the order of scripts that are
// written in both directions. For that it walks from the first word of the page to that
// line, several times a word: a twentieth of the work on a page. Where all words are
// written from left to right, the order in which they lie is that order.

#include <cstdlib>
#include <cstring>
#include <tesseract/baseapi.h>
#include <tesseract/resultiterator.h>
#include <vector>

#include "words.h"

using namespace tesseract;

namespace {

// Both of these are virtual: by their class they are those of the order of places.
bool next(ResultIterator *it, bool as_they_lie) {
	return as_they_lie ? it->PageIterator::Next(RIL_WORD) : it->Next(RIL_WORD);
}

bool begins(ResultIterator *it, PageIteratorLevel level, bool as_they_lie) {
	return as_they_lie ? it->PageIterator::IsAtBeginningOf(level) : it->IsAtBeginningOf(level);
}

char *text(ResultIterator *it, bool as_they_lie) {
	char *read = as_they_lie ? it->LTRResultIterator::GetUTF8Text(RIL_WORD) : it->GetUTF8Text(RIL_WORD);
	char *copy = strdup(read == nullptr ? "" : read);
	delete[] read;
	return copy;
}

bool left_to_right(TessBaseAPI *api) {
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
	bool as_they_lie = left_to_right(api);
	int block = 0, paragraph = 0, line = 0;
	ResultIterator *it = api->GetIterator();
	while (it != nullptr && !it->Empty(RIL_BLOCK)) {
		if (it->Empty(RIL_WORD)) {
			next(it, as_they_lie);
			continue;
		}
		if (begins(it, RIL_BLOCK, as_they_lie)) {
			block++;
			paragraph = line = 0;
		}
		if (begins(it, RIL_PARA, as_they_lie)) {
			paragraph++;
			line = 0;
		}
		if (begins(it, RIL_TEXTLINE, as_they_lie)) {
			line++;
		}
		word w = {};
		w.text = text(it, as_they_lie);
		w.confidence = it->Confidence(RIL_WORD);
		it->BoundingBox(RIL_WORD, &w.left, &w.top, &w.right, &w.bottom);
		w.block = block;
		w.paragraph = paragraph;
		w.line = line;
		found.push_back(w);
		next(it, as_they_lie);
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
