package api

import (
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-chi/chi/v5"

	"github.com/clausemill/clausemill"
	"github.com/clausemill/clausemill/auth"
)

const description = `Contract analysis: upload documents, follow their processing, and use the results of the analysis.

Ids are UUIDs, and times are RFC 3339 in UTC. Offsets into text count Unicode code points; the end of a span is exclusive. A list takes ` +
	"`limit` and `cursor`" + ` and returns ` + "`items`, `nextCursor` and, where it is cheap, `total`" + `. A parameter with several values takes
them separated by commas, or is repeated. Unknown parameters are refused, and so is a field with different values in the query
and in the body. An error returns ` +
	"`{error, code, details?}`" + `. What belongs to another team is 404.`

func config() huma.Config {
	config := huma.DefaultConfig("Clausemill", clausemill.Version)
	config.CreateHooks = nil // no $schema in bodies
	config.OpenAPIPath, config.DocsPath, config.SchemasPath = "", "", ""
	config.Info.Description = description
	config.Info.License = &huma.License{Name: "Apache-2.0", Identifier: "Apache-2.0"}
	config.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		keyScheme: {
			Type: "http", Scheme: "bearer",
			Description: "An API key: `Authorization: Bearer cm_user_…` or `cm_org_…`.",
		},
		sessionScheme: {
			Type: "apiKey", In: "cookie", Name: auth.CookieName,
			Description: "The cookie of a signed-in browser.",
		},
		oauthScheme: {
			Type: "oauth2", Description: "An access token of a service account: `Authorization: Bearer cm_svt_…`. It is valid for an hour.",
			Flows: &huma.OAuthFlows{ClientCredentials: &huma.OAuthFlow{TokenURL: tokenPath, Scopes: scopeDescriptions()}},
		},
	}
	config.Components.Schemas = huma.NewMapRegistry("#/components/schemas/", nameOfType)
	registerEnums(config.Components.Schemas)
	config.Components.Headers = rateLimitHeaders()
	config.Components.Responses = commonResponses(config.Components.Schemas)
	return config
}

// OpenAPI is the description of the API. It needs nothing but the program.
func OpenAPI() *huma.OpenAPI {
	a := &API{}
	a.areas(chi.NewMux())
	d := describing{OpenAPI: a.huma.OpenAPI(), schemas: a.huma.OpenAPI().Components.Schemas.Map(), enums: map[string][]any{}}
	d.finish()
	return d.OpenAPI
}

// describing turns the description for validating requests into an equivalent one for
// generating clients.
type describing struct {
	*huma.OpenAPI
	schemas map[string]*huma.Schema
	enums   map[string][]any // where they are → their values
}

// finish names the schemas that generators would otherwise have to name, sets the
// format of ids, and describes the tags.
func (d *describing) finish() {
	d.Servers = []*huma.Server{{URL: "/", Description: "The service that this description comes from"}}
	d.Info.Contact = &huma.Contact{Name: "Clausemill", URL: "https://github.com/clausemill/clausemill"}
	for _, op := range operationsOf(d.OpenAPI) {
		d.nameBodies(op)
		d.illustrate(op)
		describeETag(op)
		if len(op.Security) == 0 {
			op.Extensions = map[string]any{"security": []any{}} // no authentication
		}
	}
	d.each(func(where string, s *huma.Schema) *huma.Schema {
		if len(s.Enum) > 0 {
			d.enums[where] = s.Enum
		}
		return s
	})
	named := map[string]string{}
	for where, name := range enumNames {
		if d.enums[where] == nil {
			panic("no values at " + where)
		}
		named[fmt.Sprint(d.enums[where])] = name
	}
	d.each(func(where string, s *huma.Schema) *huma.Schema {
		if len(s.Enum) > 0 {
			return d.enum(where, named[fmt.Sprint(s.Enum)], s)
		}
		property := where[strings.LastIndexByte(where, '.')+1:]
		component := unicode.IsUpper(rune(where[0])) // parameters have their formats
		if component && s.Type == huma.TypeString && s.Format == "" && namesID(property) && !slices.Contains(otherIDs, where) {
			s.Format = "uuid"
		}
		s.Nullable = s.Nullable && (s.Type != huma.TypeArray || slices.Contains(takesNull, where)) // elsewhere it is only that Go would take null for an empty one
		return s
	})
	tags := map[string]bool{}
	for _, op := range operationsOf(d.OpenAPI) {
		tags[op.Tags[0]] = true
	}
	for _, tag := range slices.Sorted(maps.Keys(tags)) {
		d.Tags = append(d.Tags, &huma.Tag{Name: tag, Description: tagDescriptions[tag]})
	}
}

// describeETag says that an answer has an ETag, and that who reads again may name
// it.
func describeETag(op *huma.Operation) {
	if op.Metadata[etagKey] != true {
		return
	}
	tag := map[string]*huma.Param{"ETag": {Description: "The version of what is answered", Schema: &huma.Schema{Type: huma.TypeString}}}
	for _, status := range []string{"200", "201"} {
		if response := op.Responses[status]; response != nil && response.Ref == "" {
			headers := maps.Clone(response.Headers)
			if headers == nil {
				headers = map[string]*huma.Param{}
			}
			maps.Copy(headers, tag)
			response.Headers = headers
		}
	}
	if op.Method != http.MethodGet {
		return
	}
	op.Responses["304"] = &huma.Response{Description: "The caller has this version: `If-None-Match` names it", Headers: tag}
	named := func(p *huma.Param) bool { return p.In == "header" && p.Name == "If-None-Match" }
	if !slices.ContainsFunc(op.Parameters, named) {
		op.Parameters = append(op.Parameters, &huma.Param{
			Name: "If-None-Match", In: "header", Description: "The ETag of what the caller has", Schema: &huma.Schema{Type: huma.TypeString},
		})
	}
}

// operationsOf are all of them, by path and method.
func operationsOf(description *huma.OpenAPI) []*huma.Operation {
	var all []*huma.Operation
	for _, path := range slices.Sorted(maps.Keys(description.Paths)) {
		item := description.Paths[path]
		for _, op := range []*huma.Operation{item.Get, item.Head, item.Post, item.Put, item.Patch, item.Delete} {
			if op != nil {
				all = append(all, op)
			}
		}
	}
	return all
}

// nameBodies makes components from the bodies of op that have no name.
func (d *describing) nameBodies(op *huma.Operation) {
	if op.RequestBody == nil {
		return
	}
	for media, content := range op.RequestBody.Content {
		if content.Schema == nil || content.Schema.Ref != "" {
			continue
		}
		name := capital(op.OperationID) + "Request"
		if media == formType {
			name = capital(op.OperationID) + "Form"
		}
		content.Schema = d.component(name, content.Schema)
	}
}

// component names s, and returns a reference to it.
func (d *describing) component(name string, s *huma.Schema) *huma.Schema {
	if there := d.schemas[name]; there != nil && !reflect.DeepEqual(there, s) {
		panic("two schemas want to be " + name)
	}
	d.schemas[name] = s
	return &huma.Schema{Ref: "#/components/schemas/" + name}
}

// enum is a reference to a named set of values.
func (d *describing) enum(where, name string, s *huma.Schema) *huma.Schema {
	if d.schemas[name] == s {
		return s
	}
	if name == "" {
		panic(fmt.Sprintf("the values at %s need a name: %v", where, s.Enum))
	}
	if d.schemas[name] == nil {
		d.schemas[name] = &huma.Schema{Type: s.Type, Enum: s.Enum}
	}
	return &huma.Schema{Ref: "#/components/schemas/" + name, Description: s.Description, Default: s.Default}
}

// each calls do for every schema with its location, such as Matter.stage or
// listMatters.sort, and replaces the schema by the result.
func (d *describing) each(do func(where string, s *huma.Schema) *huma.Schema) {
	for _, name := range slices.Sorted(maps.Keys(d.schemas)) {
		d.schemas[name] = within(name, d.schemas[name], do)
	}
	for _, op := range operationsOf(d.OpenAPI) {
		for _, p := range op.Parameters {
			p.Schema = within(op.OperationID+"."+p.Name, p.Schema, do)
			if p.Schema.Ref == "" && p.Schema.Description == p.Description {
				p.Schema.Description = "" // once is enough
			}
		}
		for _, status := range slices.Sorted(maps.Keys(op.Responses)) {
			for _, content := range op.Responses[status].Content {
				content.Schema = within(op.OperationID+"."+status, content.Schema, do)
			}
		}
	}
}

func within(where string, s *huma.Schema, do func(where string, s *huma.Schema) *huma.Schema) *huma.Schema {
	if s == nil || s.Ref != "" {
		return s
	}
	for name, property := range s.Properties {
		s.Properties[name] = within(where+"."+name, property, do)
	}
	if s.Items != nil {
		s.Items = within(where, s.Items, do)
	}
	if more, ok := s.AdditionalProperties.(*huma.Schema); ok {
		s.AdditionalProperties = within(where+".*", more, do)
	}
	for _, list := range [][]*huma.Schema{s.OneOf, s.AnyOf, s.AllOf} {
		for i := range list {
			list[i] = within(where, list[i], do)
		}
	}
	return do(where, s)
}

// nameOfType names a component by its type, as Huma does, except generic types and
// bodies of requests: FilePage, NameGroup, CreateMatterRequest.
func nameOfType(t reflect.Type, hint string) string {
	name := huma.DefaultSchemaNamer(t, hint)
	if name == "Filter" {
		return "Condition" // a filter of the API is a field that files can be filtered by
	}
	for prefix, suffix := range map[string]string{"List": "Page", "HitGroup": "Group"} {
		if rest, ok := strings.CutPrefix(name, prefix); ok && strings.Contains(t.Name(), "[") {
			return strings.TrimSuffix(rest, "Hit") + suffix
		}
	}
	if strings.HasSuffix(name, "RequestBody") {
		return strings.TrimSuffix(name, "Body")
	}
	return name
}

func capital(name string) string {
	return string(unicode.ToUpper(rune(name[0]))) + name[1:]
}

// namesID reports whether a property is an id of a row, or a list of them.
func namesID(name string) bool {
	name = strings.TrimSuffix(name, "s")
	return name == "id" || strings.HasSuffix(name, "Id") && name != "modelId"
}

// otherIDs are the ids that are not always UUIDs: keys of tags and filters, numbers of
// events, names of built-in models, ids in Word documents, and wrong ids of callers.
var otherIDs = []string{
	"CategoryUpdate.parentId", "CreateCategoryRequest.parentId", "UpdateFileRequest.documentTypeId", "UpdateFileRequest.matterId", // empty for none
	"Anchor.paraId", "AuditBucket.resourceId", "AuditEvent.id", "AuditEvent.resourceId", "Change.id", "Done.id", "FactFilter.id", "FieldFilter.id",
	"GraphNode.id", "ItemError.fileId", "Model.baseId", "Model.id", "NotCarried.changeId", "ProposedAnchor.paraId", "Recommendation.id",
	"Refused.id", "Tag.id", "TimelineEvent.id", "TrashEntry.resourceId", "UntrackedChange.id",
}

// takesNull are the lists that null says something of: what users set is taken back.
var takesNull = []string{"UpdateFileRequest.attributes.*", "UpdateFileRequest.counterparties", "UpdateFileRequest.parties"}

// enumNames names the sets of values of the API. One location of each is enough: equal
// sets have the same name everywhere.
var enumNames = map[string]string{
	"Matter.stage":                      "MatterStage",
	"Matter.status":                     "MatterStatus",
	"Matter.access":                     "MatterAccess",
	"File.lifecycleStage":               "LifecycleStage",
	"File.status":                       "ProcessingStatus",
	"File.stage":                        "ProcessingStage",
	"File.documentTypeSource":           "DocumentTypeSource",
	"File.partiesSource":                "PartiesSource",
	"FileError.code":                    "FileErrorCode",
	"FileVersion.source":                "VersionSource",
	"Assignment.role":                   "AssignmentRole",
	"ChatAnswer.kind":                   "AnswerKind",
	"Assignment.status":                 "AssignmentStatus",
	"Invitation.role":                   "TeamRole",
	"ServiceAccount.scopes":             "ServiceScope",
	"TeamNames.source":                  "NamesSource",
	"TokenError.error":                  "TokenErrorCode",
	"TokenForm.grant_type":              "TokenGrantType",
	"Sentence.source":                   "LabelSource",
	"FieldFilter.kind":                  "FilterKind",
	"FieldFilter.scope":                 "FilterScope",
	"FactFilter.source":                 "FactFilterSource",
	"Condition.op":                      "FilterOperator",
	"exportFiles.format":                "TableFormat",
	"ReprocessOptions.from":             "ReprocessStage",
	"ReprocessOptions.ocr":              "OCRMode",
	"Widget.kind":                       "WidgetKind",
	"FlagCondition.operator":            "FlagOperator",
	"APIKey.kind":                       "APIKeyKind",
	"Rendition.source":                  "RenditionSource",
	"Rendition.kind":                    "RenditionKind",
	"MetadataKey.kind":                  "MetadataKind",
	"FieldLearning.status":              "FieldStatus",
	"FieldVersion.status":               "FieldVersionStatus",
	"KeysRequest.match":                 "MatchMode",
	"ValuesRequest.level":               "AttributeLevel",
	"Notification.kind":                 "NotificationKind",
	"listNotifications.kind":            "NotificationKind",
	"searchSentences.facets":            "SearchFacet",
	"Actor.kind":                        "ActorKind",
	"AuditAggregate.groupBy":            "AuditGroup",
	"Block.origin":                      "BlockOrigin",
	"Change.origin":                     "ChangeOrigin",
	"PassageRun.hidden":                 "HiddenWhy",
	"Change.of":                         "PropertyHolder",
	"ProposedChange.of":                 "PropertyHolder",
	"Change.status":                     "ChangeStatus",
	"ProposedChange.type":               "ChangeType",
	"ProposedChange.side":               "AnchorSide",
	"ComparedFiles.kind":                "LikenessKind",
	"Comparison.scope":                  "ComparisonScope",
	"CorpusEdge.kind":                   "CorpusEdgeKind",
	"DateCohort.bucket":                 "DateBucketSize",
	"DecisionOptions.decision":          "RevisionDecision",
	"Delivery.state":                    "DeliveryState",
	"Entity.type":                       "EntityType",
	"SentenceHits.engine":               "SearchEngine",
	"StatusChange.status":               "StatusRequest",
	"Team.kind":                         "TeamKind",
	"TrashEntry.kind":                   "TrashKind",
	"listMatters.sort":                  "MatterSort",
	"getRedline.format":                 "RenditionFormat",
	"listSentences.sort":                "SentenceSort",
	"Aligned.status":                    "AlignmentStatus",
	"AnalysisRequest.kinds":             "AnalysisKind",
	"Attribute.source":                  "AttributeSource",
	"AttributeVerdict.decision":         "AttributeDecision",
	"Block.kind":                        "BlockKind",
	"FormField.kind":                    "FormFieldKind",
	"Format.highlight":                  "HighlightColor",
	"Generated.generator":               "GeneratedBy",
	"Metric.op":                         "MetricOperator",
	"Query.across":                      "AcrossOperator",
	"Bound.across":                      "BoundFigure",
	"Bound.op":                          "BoundOperator",
	"Metric.unit":                       "DurationUnit",
	"Model.kind":                        "ModelKind",
	"Model.status":                      "ModelStatus",
	"NotCarried.kind":                   "NotCarriedKind",
	"Operation.state":                   "OperationState",
	"Query.bucket":                      "QueryBucket",
	"Query.sort":                        "QuerySort",
	"Query.source":                      "QuerySource",
	"StatsRequest.include":              "StatsPart",
	"TeamStatus.plan":                   "TeamPlan",
	"TextEdit.op":                       "TextEditOperator",
	"downloadOCR.format":                "OCRFormat",
	"getSFDT.view":                      "SFDTView",
	"searchFiles.groups":                "SearchGroup",
	"getRevision.comments":              "CommentsPolicy",
	"getRevision.existing":              "ExistingChangesPolicy",
	"PageInfo.rotation":                 "PageRotation",
	"PageInfo.source":                   "PageSource",
	"MatterFileFacet.kind":              "FacetKind",
	"PageWord.origin":                   "WordOrigin",
	"GetFileCohortDatesRequest.dateKey": "DateKey",
}

// tagDescriptions describe the areas of the API.
var tagDescriptions = map[string]string{
	"API keys":          "Keys for programs: of a user or of an organization.",
	"Analytics":         "The audit log: who changed what, and when.",
	"Categories":        "A tree of categories for files, matters and document types.",
	"Chats":             "Conversations about documents and in matters: participants and messages.",
	"Dashboard widgets": "Queries on the team's data, shown as numbers, charts and tables.",
	"Document types":    "Types of contracts, and what the files of each have in common.",
	"Events":            "A live stream of what happens in the team.",
	"Export":            "Tables of files, matters, sentences and hits as CSV and XLSX.",
	"Feature flags":     "Flags that turn features on for some or all users.",
	"Fields":            "Facts that a team declares, marks in files and has proposed.",
	"Files":             "Documents: upload, status, text, structure, comparison, redlines and versions.",
	"Filters":           "Fields that files can be filtered by, with their values.",
	"Installation":      "What operators see of all teams: workers, queues, steps, the index.",
	"Matters":           "Legal work that files belong to, with its people and deadlines.",
	"Metadata":          "Declared keys of metadata, with their types.",
	"Models":            "Models that label sentences, with their metrics.",
	"Notifications":     "Messages to a user.",
	"Operations":        "Long work on many files: progress and cancellation.",
	"Search":            "Full-text search, saved searches and synonyms.",
	"Service accounts":  "Programs that work unattended, and their access tokens.",
	"Sentences":         "Sentences, their labels, and the review of labels.",
	"Sign-in":           "Signing in and out, and sessions of users.",
	"Teams and users":   "Teams, their members, roles and invitations.",
	"Text analysis":     "The same analysis for a text that is not stored.",
	"Tools":             "Look-ups and searches over attributes and entities.",
	"Trash":             "Deleted things, which can be restored.",
	"Webhooks":          "Signed requests to other systems when something happens.",
}
