package api

import (
	"maps"
	"reflect"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/clausemill/clausemill/answer"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/flag"
	"github.com/clausemill/clausemill/query"
	"github.com/clausemill/clausemill/search"
)

// Schemas for the sets of values that other packages define. Huma finds them by type,
// so that fields do not have to repeat them.
type (
	statusEnum    string
	stageEnum     string
	lifecycleEnum string
	facetEnum     string
	causeEnum     string

	matterStageEnum    string
	matterStatusEnum   string
	matterAccessEnum   string
	assignmentRoleEnum string
	assignmentEnum     string
	notificationEnum   string
	deliveryEnum       string
	trashEnum          string
	operatorEnum       string
	auditEnum          string
	versionSourceEnum  string
	attributeVerdict   string
	answerEnum         string
	fieldModelEnum     string
)

// filterValues is query.Values: strings, numbers and booleans.
type filterValues []string

func (filterValues) Schema(huma.Registry) *huma.Schema {
	one := &huma.Schema{OneOf: []*huma.Schema{{Type: huma.TypeString}, {Type: huma.TypeNumber}, {Type: huma.TypeBoolean}}}
	s := &huma.Schema{Type: huma.TypeArray, Items: one}
	s.PrecomputeMessages()
	return s
}

func (statusEnum) Schema(huma.Registry) *huma.Schema         { return enum(db.FileStatuses()) }
func (stageEnum) Schema(huma.Registry) *huma.Schema          { return enum(db.FileStages()) }
func (lifecycleEnum) Schema(huma.Registry) *huma.Schema      { return enum(db.LifecycleStages()) }
func (facetEnum) Schema(huma.Registry) *huma.Schema          { return enum(search.Facets()) }
func (matterStageEnum) Schema(huma.Registry) *huma.Schema    { return enum(db.MatterStages()) }
func (matterStatusEnum) Schema(huma.Registry) *huma.Schema   { return enum(db.MatterStatuses()) }
func (matterAccessEnum) Schema(huma.Registry) *huma.Schema   { return enum(db.MatterAccesses()) }
func (assignmentRoleEnum) Schema(huma.Registry) *huma.Schema { return enum(db.AssignmentRoles()) }
func (assignmentEnum) Schema(huma.Registry) *huma.Schema     { return enum(db.AssignmentStatuses()) }
func (notificationEnum) Schema(huma.Registry) *huma.Schema   { return enum(db.NotificationKinds()) }
func (deliveryEnum) Schema(huma.Registry) *huma.Schema       { return enum(db.DeliveryStates()) }
func (trashEnum) Schema(huma.Registry) *huma.Schema          { return enum(db.TrashKinds()) }

func (causeEnum) Schema(huma.Registry) *huma.Schema    { return enum(slices.Sorted(maps.Keys(hints))) }
func (operatorEnum) Schema(huma.Registry) *huma.Schema { return enum(flag.Operators) }
func (auditEnum) Schema(huma.Registry) *huma.Schema    { return enum(db.AuditGroups()) }

func (versionSourceEnum) Schema(huma.Registry) *huma.Schema { return enum(db.VersionSources()) }
func (attributeVerdict) Schema(huma.Registry) *huma.Schema  { return enum(db.AttributeDecisions()) }
func (answerEnum) Schema(huma.Registry) *huma.Schema        { return enum(answer.Kinds()) }
func (fieldModelEnum) Schema(huma.Registry) *huma.Schema    { return enum(db.FieldModelStatuses()) }

// registerEnums registers the sets of values by their types.
func registerEnums(schemas huma.Registry) {
	schemas.RegisterTypeAlias(reflect.TypeFor[db.FileStatus](), reflect.TypeFor[statusEnum]())
	schemas.RegisterTypeAlias(reflect.TypeFor[db.FileStage](), reflect.TypeFor[stageEnum]())
	schemas.RegisterTypeAlias(reflect.TypeFor[db.LifecycleStage](), reflect.TypeFor[lifecycleEnum]())
	schemas.RegisterTypeAlias(reflect.TypeFor[search.Facet](), reflect.TypeFor[facetEnum]())
	schemas.RegisterTypeAlias(reflect.TypeFor[fault.Code](), reflect.TypeFor[causeEnum]())
	schemas.RegisterTypeAlias(reflect.TypeFor[db.MatterStage](), reflect.TypeFor[matterStageEnum]())
	schemas.RegisterTypeAlias(reflect.TypeFor[db.MatterStatus](), reflect.TypeFor[matterStatusEnum]())
	schemas.RegisterTypeAlias(reflect.TypeFor[db.MatterAccess](), reflect.TypeFor[matterAccessEnum]())
	schemas.RegisterTypeAlias(reflect.TypeFor[db.AssignmentRole](), reflect.TypeFor[assignmentRoleEnum]())
	schemas.RegisterTypeAlias(reflect.TypeFor[db.AssignmentStatus](), reflect.TypeFor[assignmentEnum]())
	schemas.RegisterTypeAlias(reflect.TypeFor[db.NotificationKind](), reflect.TypeFor[notificationEnum]())
	schemas.RegisterTypeAlias(reflect.TypeFor[db.DeliveryState](), reflect.TypeFor[deliveryEnum]())
	schemas.RegisterTypeAlias(reflect.TypeFor[db.TrashKind](), reflect.TypeFor[trashEnum]())
	schemas.RegisterTypeAlias(reflect.TypeFor[flag.Operator](), reflect.TypeFor[operatorEnum]())
	schemas.RegisterTypeAlias(reflect.TypeFor[db.AuditGroup](), reflect.TypeFor[auditEnum]())
	schemas.RegisterTypeAlias(reflect.TypeFor[query.Values](), reflect.TypeFor[filterValues]())
	schemas.RegisterTypeAlias(reflect.TypeFor[db.AttributeDecision](), reflect.TypeFor[attributeVerdict]())
	schemas.RegisterTypeAlias(reflect.TypeFor[db.FieldModelStatus](), reflect.TypeFor[fieldModelEnum]())
	schemas.RegisterTypeAlias(reflect.TypeFor[db.VersionSource](), reflect.TypeFor[versionSourceEnum]())
	schemas.RegisterTypeAlias(reflect.TypeFor[answer.Kind](), reflect.TypeFor[answerEnum]())
}

func enum[T ~string](values []T) *huma.Schema {
	s := &huma.Schema{Type: huma.TypeString}
	for _, v := range values {
		s.Enum = append(s.Enum, string(v))
	}
	s.PrecomputeMessages()
	return s
}
