package db

// FileStatuses lists the statuses of a file.
func FileStatuses() []FileStatus {
	return []FileStatus{FileQueued, FileProcessing, FileCompleted, FileWithWarnings, FileFailed, FileCancelled}
}

// FileStages lists the stages of the pipeline in order.
func FileStages() []FileStage {
	return []FileStage{StageReceived, StageExtract, StageRecognize, StageSegment, StageClassify, StageIndex, StageDone}
}
