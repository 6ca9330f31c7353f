package pdf

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	_ "unsafe" // for go:linkname

	_ "github.com/klippa-app/go-pdfium/webassembly" // carries pdfium.wasm
	"github.com/klippa-app/go-pdfium/webassembly/imports"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/imports/emscripten"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
	"golang.org/x/sys/unix"
)

// pdfiumWasm is pdfium compiled to WebAssembly. The module that embeds it does not
// export it. Its Go API allocates out-parameters in the sandbox and looks up every
// function by name, on each call, which is too expensive for a call per character.
// Linking to the variable gives our own, leaner binding the same bytes without a
// second copy of five megabytes.
//
//go:linkname pdfiumWasm github.com/klippa-app/go-pdfium/webassembly.pdfiumWasm
var pdfiumWasm []byte

// Limits of the sandbox. A page that needs more memory traps there and is
// reported as unreadable; an instance that has grown beyond pdfiumRecycle is
// replaced before the next request, as WebAssembly memory never shrinks.
const (
	wasmPage      = 64 << 10 // the unit in which WebAssembly memory grows
	pdfiumMemory  = 768 << 20
	pdfiumRecycle = 128 << 20
)

// pdfiumRuntime holds the compiled engine; instances come from it in
// milliseconds.
type pdfiumRuntime struct {
	runtime  wazero.Runtime
	compiled wazero.CompiledModule
	sources  map[uint32]io.ReaderAt // open files by the parameter the engine gives back
	sink     io.Writer              // receives what the engine saves
}

// newPDFiumRuntime compiles the engine, which takes seconds unless cacheDir
// (which may be empty) holds the result of an earlier compilation.
func newPDFiumRuntime(ctx context.Context, cacheDir string) (*pdfiumRuntime, error) {
	config := wazero.NewRuntimeConfig().WithMemoryLimitPages(pdfiumMemory / wasmPage)
	if cacheDir != "" {
		cache, err := wazero.NewCompilationCacheWithDir(cacheDir)
		if err != nil {
			return nil, fmt.Errorf("open the compilation cache: %w", err)
		}
		config = config.WithCompilationCache(cache)
	}
	r := &pdfiumRuntime{
		runtime: wazero.NewRuntimeWithConfig(ctx, config),
		sources: map[uint32]io.ReaderAt{},
	}
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, r.runtime); err != nil {
		return nil, err
	}
	var err error
	if r.compiled, err = r.runtime.CompileModule(ctx, pdfiumWasm); err != nil {
		return nil, fmt.Errorf("compile pdfium: %w", err)
	}
	exporter, err := emscripten.NewFunctionExporterForModule(r.compiled)
	if err != nil {
		return nil, err
	}
	env := r.runtime.NewHostModuleBuilder("env")
	exporter.ExportFunctions(env)
	imports.NewFunctionExporter().ExportFunctions(env)
	// These replace the functions of the same names, which use registries that
	// only the module's Go API can fill.
	i32 := api.ValueTypeI32
	env.NewFunctionBuilder().
		WithGoModuleFunction(api.GoModuleFunc(r.readBlock), []api.ValueType{i32, i32, i32, i32}, []api.ValueType{i32}).
		Export("FPDF_FILEACCESS_CB")
	env.NewFunctionBuilder().
		WithGoModuleFunction(api.GoModuleFunc(r.writeBlock), []api.ValueType{i32, i32, i32}, []api.ValueType{i32}).
		Export("FPDF_FILEWRITE_CB")
	if _, err := env.Instantiate(ctx); err != nil {
		return nil, err
	}
	return r, nil
}

// readBlock serves the engine's reads, (param, position, buffer, size) to 1 or,
// where the file does not fill that range, to 0.
func (r *pdfiumRuntime) readBlock(_ context.Context, module api.Module, stack []uint64) {
	source, position := r.sources[uint32(stack[0])], int64(uint32(stack[1]))
	buffer, ok := module.Memory().Read(uint32(stack[2]), uint32(stack[3]))
	stack[0] = 0
	if !ok || source == nil {
		return
	}
	if n, _ := source.ReadAt(buffer, position); n == len(buffer) {
		stack[0] = 1
	}
}

// writeBlock takes what the engine saves, (writer, data, size) to 1 or 0.
func (r *pdfiumRuntime) writeBlock(_ context.Context, module api.Module, stack []uint64) {
	data, ok := module.Memory().Read(uint32(stack[1]), uint32(stack[2]))
	stack[0] = 0
	if !ok || r.sink == nil {
		return
	}
	if _, err := r.sink.Write(data); err == nil {
		stack[0] = 1
	}
}

// pdfium is one instance of the engine. It is single-threaded. After a trap
// (memory exhausted or misused, stack overflow) its state cannot be trusted:
// err has the trap, every further call returns 0, and the instance has to be
// replaced.
type pdfium struct {
	ctx    context.Context
	module api.Module
	memory api.Memory
	err    error

	stack [12]uint64 // arguments and result of a call
	out   uint32     // room in the sandbox for out-parameters

	pdfiumFunctions
}

// pdfiumFunctions are the engine's functions in use, found by the name in the
// tag.
type pdfiumFunctions struct {
	malloc, free                                   api.Function
	createAccess, load, lastError, closeDocument   api.Function
	countPages, loadPage, closePage                api.Function
	pageSize, pageBounds, pageRotation             api.Function
	countObjects, object, objectType, objectBounds api.Function
	countParts, part, objectMatrix                 api.Function
	imageSize, renderMode                          api.Function
	loadText, closeText, countChars                api.Function
	unicode, looseBox, tightBox                    api.Function
	isGenerated, isEmbedded                        api.Function
	createBitmap, fill, render, destroyBitmap      api.Function
	imageBitmap, imageMetadata, countAnnotations   api.Function
	imageData, transparent, clipPath, countPaths   api.Function
	bitmapBuffer, bitmapFormat, bitmapStride       api.Function
	bitmapWidth, bitmapHeight                      api.Function
	createWriter, saveCopy                         api.Function
	annotation, annotationKind, annotationRect     api.Function
	annotationFlags, setAnnotationFlags            api.Function
	closeAnnotation, flatten                       api.Function
	removeObject, destroyObject                    api.Function
	formType, countPackets, packet                 api.Function
	initForms, exitForms, afterLoad, beforeClose   api.Function
	fieldName, fieldType, fieldFlags               api.Function
	textObject, objectFont, fontName, fontFlags    api.Function
	isChecked, exportValue                         api.Function
	countOptions, isSelected, optionLabel          api.Function
	pathMode, fillColour, strokeColour             api.Function
}

func (f *pdfiumFunctions) names() map[string]*api.Function {
	return map[string]*api.Function{
		"malloc": &f.malloc, "free": &f.free,
		"FPDF_FILEACCESS_Create": &f.createAccess, "FPDF_LoadCustomDocument": &f.load,
		"FPDF_GetLastError": &f.lastError, "FPDF_CloseDocument": &f.closeDocument,
		"FPDF_GetPageCount": &f.countPages, "FPDF_LoadPage": &f.loadPage, "FPDF_ClosePage": &f.closePage,
		"FPDF_GetPageSizeByIndexF": &f.pageSize,
		"FPDF_GetPageBoundingBox":  &f.pageBounds, "FPDFPage_GetRotation": &f.pageRotation,
		"FPDFPage_CountObjects": &f.countObjects, "FPDFPage_GetObject": &f.object,
		"FPDFPageObj_GetType": &f.objectType, "FPDFPageObj_GetBounds": &f.objectBounds,
		"FPDFFormObj_CountObjects": &f.countParts, "FPDFFormObj_GetObject": &f.part,
		"FPDFPageObj_GetMatrix": &f.objectMatrix, "FPDFImageObj_GetImagePixelSize": &f.imageSize,
		"FPDFTextObj_GetTextRenderMode": &f.renderMode,
		"FPDFText_LoadPage":             &f.loadText, "FPDFText_ClosePage": &f.closeText,
		"FPDFText_CountChars": &f.countChars, "FPDFText_GetUnicode": &f.unicode,
		"FPDFText_GetLooseCharBox": &f.looseBox, "FPDFText_GetCharBox": &f.tightBox,
		"FPDFText_IsGenerated": &f.isGenerated, "FPDFFont_GetIsEmbedded": &f.isEmbedded,
		"FPDFText_GetTextObject": &f.textObject, "FPDFTextObj_GetFont": &f.objectFont,
		"FPDFFont_GetBaseFontName": &f.fontName, "FPDFFont_GetFlags": &f.fontFlags,
		"FPDFBitmap_CreateEx": &f.createBitmap, "FPDFBitmap_FillRect": &f.fill,
		"FPDF_RenderPageBitmap": &f.render, "FPDFBitmap_Destroy": &f.destroyBitmap,
		"FPDFImageObj_GetBitmap": &f.imageBitmap, "FPDFImageObj_GetImageMetadata": &f.imageMetadata,
		"FPDFImageObj_GetImageDataRaw": &f.imageData, "FPDFPageObj_HasTransparency": &f.transparent,
		"FPDFPageObj_GetClipPath": &f.clipPath, "FPDFClipPath_CountPaths": &f.countPaths,
		"FPDFBitmap_GetBuffer": &f.bitmapBuffer, "FPDFBitmap_GetFormat": &f.bitmapFormat,
		"FPDFBitmap_GetStride": &f.bitmapStride, "FPDFBitmap_GetWidth": &f.bitmapWidth,
		"FPDFBitmap_GetHeight": &f.bitmapHeight, "FPDFPage_GetAnnotCount": &f.countAnnotations,
		"FPDF_FILEWRITE_Create": &f.createWriter, "FPDF_SaveAsCopy": &f.saveCopy,
		"FPDFPage_GetAnnot": &f.annotation, "FPDFAnnot_GetSubtype": &f.annotationKind,
		"FPDFAnnot_GetFlags": &f.annotationFlags, "FPDFAnnot_SetFlags": &f.setAnnotationFlags,
		"FPDFAnnot_GetRect": &f.annotationRect, "FPDFPage_CloseAnnot": &f.closeAnnotation,
		"FPDFPage_Flatten": &f.flatten, "FPDFPage_RemoveObject": &f.removeObject,
		"FPDFPageObj_Destroy": &f.destroyObject,
		"FPDF_GetFormType":    &f.formType, "FPDF_GetXFAPacketCount": &f.countPackets,
		"FPDF_GetXFAPacketContent":        &f.packet,
		"FPDFDOC_InitFormFillEnvironment": &f.initForms, "FPDFDOC_ExitFormFillEnvironment": &f.exitForms,
		"FPDFAnnot_IsChecked": &f.isChecked, "FPDFAnnot_GetFormFieldExportValue": &f.exportValue,
		"FPDFAnnot_GetOptionCount": &f.countOptions, "FPDFAnnot_IsOptionSelected": &f.isSelected, "FPDFAnnot_GetOptionLabel": &f.optionLabel,
		"FPDFPath_GetDrawMode": &f.pathMode, "FPDFPageObj_GetFillColor": &f.fillColour, "FPDFPageObj_GetStrokeColor": &f.strokeColour,
		"FORM_OnAfterLoadPage": &f.afterLoad, "FORM_OnBeforeClosePage": &f.beforeClose,
		"FPDFAnnot_GetFormFieldName": &f.fieldName, "FPDFAnnot_GetFormFieldType": &f.fieldType, "FPDFAnnot_GetFormFieldFlags": &f.fieldFlags,
	}
}

// start makes a fresh instance without file system, network or environment.
func (r *pdfiumRuntime) start(ctx context.Context) (*pdfium, error) {
	ctx = experimental.WithMemoryAllocator(ctx, experimental.MemoryAllocatorFunc(reserve))
	module, err := r.runtime.InstantiateModule(ctx, r.compiled,
		wazero.NewModuleConfig().WithName("").WithStartFunctions("_initialize", "FPDF_InitLibrary"))
	if err != nil {
		return nil, fmt.Errorf("start pdfium: %w", err)
	}
	p := &pdfium{ctx: ctx, module: module, memory: module.Memory()}
	for name, f := range p.names() {
		if *f = module.ExportedFunction(name); *f == nil {
			return nil, fmt.Errorf("pdfium lacks %s", name)
		}
	}
	p.out = p.alloc(64)
	return p, p.err
}

// call runs f and returns its result, or 0 after a trap.
func (p *pdfium) call(f api.Function, args ...uint64) uint64 {
	if p.err != nil {
		return 0
	}
	copy(p.stack[:], args)
	if err := f.CallWithStack(p.ctx, p.stack[:]); err != nil {
		p.err = fmt.Errorf("pdfium stopped: %w", err)
		return 0
	}
	return p.stack[0]
}

// alloc reserves size bytes of the sandbox's memory.
func (p *pdfium) alloc(size int) uint32 {
	address := uint32(p.call(p.malloc, uint64(size)))
	if address == 0 && p.err == nil {
		p.err = fmt.Errorf("pdfium has no %d bytes left", size)
	}
	return address
}

// withText calls f with the address of a text in the sandbox's memory, which is cleared
// afterwards; 0 for "".
func (p *pdfium) withText(text string, f func(address uint64) uint64) uint64 {
	if text == "" {
		return f(0)
	}
	address := p.alloc(len(text) + 1)
	if !p.memory.Write(address, append([]byte(text), 0)) || p.err != nil {
		return 0
	}
	result := f(uint64(address))
	p.memory.Write(address, make([]byte, len(text)))
	p.call(p.free, uint64(address))
	return result
}

// floats reads n float32 from the out-parameters.
func (p *pdfium) floats(n int) (d [6]float32) {
	b, _ := p.memory.Read(p.out, uint32(4*n))
	for i := range n {
		d[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return d
}

// reservedMemory is the sandbox's memory: reserved address space that becomes usable
// as the memory grows. On the heap, every growth would copy all of it and leave the
// old copy to the garbage collector.
type reservedMemory []byte

func reserve(_, most uint64) experimental.LinearMemory {
	b, err := unix.Mmap(-1, 0, int(most), unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
	if err != nil {
		return reservedMemory(nil) // which cannot grow: the instance does not start
	}
	return reservedMemory(b)
}

func (m reservedMemory) Reallocate(size uint64) []byte {
	if size > uint64(len(m)) || unix.Mprotect(m[:size], unix.PROT_READ|unix.PROT_WRITE) != nil {
		return nil
	}
	return m[:size]
}

func (m reservedMemory) Free() {
	_ = unix.Munmap(m) // nil where there was nothing to reserve
}
