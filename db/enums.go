package db

// FileStatuses lists the statuses of a file.
func FileStatuses() []FileStatus {
	return []FileStatus{FileQueued, FileProcessing, FileCompleted, FileWithWarnings, FileFailed, FileCancelled}
}

// CountStatuses counts files by their status, those statuses included that none has.
func CountStatuses(files []File) map[FileStatus]int {
	counts := map[FileStatus]int{}
	for _, status := range FileStatuses() {
		counts[status] = 0
	}
	for _, f := range files {
		counts[f.Status]++
	}
	return counts
}

// FileStages lists the stages of the pipeline in order.
func FileStages() []FileStage {
	return []FileStage{StageReceived, StageExtract, StageRecognize, StageSegment, StageClassify, StageIndex, StageDone}
}
