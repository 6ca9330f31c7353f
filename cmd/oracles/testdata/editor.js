// Opens SFDT files in the editor, without a screen.
//
//   node editor.js DIRECTORY < plan
//
// Each line of the plan is JSON: {"name": …, "edits": [{"at": "0;3;", "start": 4, "end": 9, "do": "insert", "text": …}]}.
// For each, DIRECTORY/name.sfdt is opened and saved to name.saved.sfdt, then edited with tracking on
// and saved to name.edited.sfdt. A line of JSON tells what the editor has of it.
const fs = require('fs');
const path = require('path');
const readline = require('readline');
const {JSDOM} = require('jsdom');

// A window that measures text without fonts: half an em for each character.
const {window} = new JSDOM('<!DOCTYPE html><div id="editor"></div>', {pretendToBeVisual: true, url: 'http://localhost/'});
for (const key of Object.getOwnPropertyNames(window)) {
  if (!(key in globalThis)) {
    globalThis[key] = window[key];
  }
}
Object.defineProperty(globalThis, 'navigator', {value: window.navigator, configurable: true});
globalThis.window = window;
window.SVGElement.prototype.getBBox = () => ({x: 0, y: 0, width: 0, height: 0});
window.HTMLCanvasElement.prototype.toDataURL = () => 'data:image/png;base64,';
window.HTMLCanvasElement.prototype.getContext = function () {
  const context = {
    canvas: this,
    font: '10px serif',
    measureText(text) {
      const found = /([\d.]+)(px|pt)/.exec(this.font);
      const size = found ? found[1] * (found[2] === 'pt' ? 4 / 3 : 1) : 12;
      return {
        width: text.length * size / 2, actualBoundingBoxAscent: size * 0.8, actualBoundingBoxDescent: size * 0.2,
        fontBoundingBoxAscent: size * 0.9, fontBoundingBoxDescent: size * 0.2,
      };
    },
  };
  const nothing = () => ({addColorStop() {}, width: 0, data: []});
  return new Proxy(context, {get: (target, key) => key in target ? target[key] : nothing});
};
const tell = line => fs.writeSync(1, JSON.stringify(line) + '\n');
console.log = console.warn = console.error = () => {};

const {DocumentEditor, Editor, Selection, SfdtExport, EditorHistory} = require('@syncfusion/ej2-documenteditor');
DocumentEditor.Inject(Editor, Selection, SfdtExport, EditorHistory);
let failed;
const editor = new DocumentEditor({
  isReadOnly: false, enableEditor: true, enableSelection: true, enableSfdtExport: true, enableEditorHistory: true, enableComment: true,
  height: '600px', width: '800px', documentEditorSettings: {optimizeSfdt: false}, documentLoadFailed: cause => { failed = cause; },
});
editor.appendTo('#editor');
editor.textMeasureHelper.getHeightInternal = format => {
  const size = (format.fontSize || 11) * 4 / 3;
  return {Height: size * 1.22, BaselineOffset: size * 0.95, fontSize: size};
};

const edits = {
  insert: edit => editor.editor.insertText(edit.text),
  delete: () => editor.editor.delete(),
  bold: () => editor.editor.toggleBold(),
  comment: edit => editor.editor.insertComment(edit.text),
};

readline.createInterface({input: process.stdin}).on('line', line => {
  const plan = JSON.parse(line);
  const file = suffix => path.join(process.argv[2], plan.name + suffix);
  failed = undefined;
  try {
    editor.enableTrackChanges = false;
    editor.open(fs.readFileSync(file('.sfdt'), 'utf8'));
    if (failed) {
      tell({name: plan.name, failed: String(failed.error && failed.error.stack || failed.error || JSON.stringify(failed))});
      return;
    }
    const report = {name: plan.name, pages: editor.pageCount, comments: editor.documentHelper.comments.length};
    const saved = editor.serialize();
    report.revisions = new Set(JSON.parse(saved).revisions.map(revision => revision.customData)).size;
    fs.writeFileSync(file('.saved.sfdt'), saved);
    editor.enableTrackChanges = true;
    editor.currentUser = 'Eve Editor';
    for (const edit of plan.edits || []) {
      editor.selection.select(edit.at + edit.start, edit.at + edit.end);
      edits[edit.do](edit);
    }
    fs.writeFileSync(file('.edited.sfdt'), editor.serialize());
    tell(report);
  } catch (cause) {
    tell({name: plan.name, failed: String(cause.stack)});
  }
}).on('close', () => process.exit(0));
