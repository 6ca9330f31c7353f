package query

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/clausemill/clausemill/fault"
)

// MetricOp is what is measured of each group of rows.
type MetricOp string

// The measures. All but Count are of a field, which Share may do without, and those but
// CountDistinct of a number; Min and Max take dates as well, and so do Avg and Median of how long ago they are.
const (
	Count         MetricOp = "count"
	CountDistinct MetricOp = "countDistinct"
	Sum           MetricOp = "sum"
	Avg           MetricOp = "avg"
	Min           MetricOp = "min"
	Max           MetricOp = "max"
	Median        MetricOp = "median"
	Share         MetricOp = "share" // the percentage of rows, or of a sum, of which more is true
)

// Metric is a measure.
type Metric struct {
	Op      MetricOp `json:"op" enum:"count,countDistinct,sum,avg,min,max,median,share"`
	Field   Field    `json:"field,omitempty" doc:"The field to measure; none for count. With share the percentage is one of the sum of this field, which has to be a number, and of the rows without it"`
	Unit    Bucket   `json:"unit,omitempty" enum:"day,week,month,year" doc:"Of a duration: what the value is counted in, by default days. Of a date, with avg, median, min or max: how long ago it was, in this unit, below zero for a day to come. A year has 365 days, a month a twelfth of it"`
	Filters []Filter `json:"filters,omitempty" maxItems:"50" nullable:"false" doc:"For share alone: the value is the percentage of the rows, or of the sum of the field, of which all these conditions are true"`
}

// Bucket is the length of the periods that dates are grouped by, in UTC.
type Bucket string

// The buckets. A week begins on Monday.
const (
	Day     Bucket = "day"
	Week    Bucket = "week"
	Month   Bucket = "month"
	Quarter Bucket = "quarter"
	Year    Bucket = "year"
)

// Sort is the order of groups: by value or by the groups' own keys, with a minus
// for the greatest first.
type Sort string

// The orders. Equal values are in the order of their keys.
const (
	ByValue     Sort = "value"
	ByValueDesc Sort = "-value"
	ByKey       Sort = "key"
	ByKeyDesc   Sort = "-key"
)

// Query asks for a measure of rows, in groups or of all of them.
type Query struct {
	Source  Source   `json:"source" enum:"files,sentences,attributes,matters,audit"`
	Metric  Metric   `json:"metric"`
	GroupBy []Field  `json:"groupBy,omitempty" maxItems:"3" nullable:"false"`
	Bucket  Bucket   `json:"bucket,omitempty" enum:"day,week,month,quarter,year" doc:"Length of the periods that dates are grouped by; by default month"`
	Across  MetricOp `json:"across,omitempty" enum:"sum,avg,min,max,median" doc:"One figure of the measures of all groups instead of the groups: with a count by counterparty, avg is the average number of files per counterparty. Rows without a value of a field that is grouped by are in no group then, and a period without rows is none. There have to be fields to group by, and the measure has to be a number"`
	Filters []Filter `json:"filters,omitempty" maxItems:"50" nullable:"false" doc:"All of these conditions must match"`
	Sort    Sort     `json:"sort,omitempty" enum:"value,-value,key,-key" doc:"Order of the groups. By default the greatest value comes first, or the earliest period"`
	Only    []Filter `json:"only,omitempty" maxItems:"3" nullable:"false" doc:"Only groups of these values: conditions in on fields that are grouped by. A file with several parties is in the group of each, also of those that no filter names"`
	Having  []Bound  `json:"having,omitempty" maxItems:"2" nullable:"false" doc:"Only groups whose measure is within all of these bounds. There have to be fields to group by, and the measure has to be a number"`
	Limit   int      `json:"limit,omitempty" minimum:"1" maximum:"1000" doc:"Maximum number of groups; by default 100"`
}

// Bound is what the measure of a group has to be.
type Bound struct {
	Op     Op       `json:"op" enum:"gte,lte,gt,lt"`
	Value  float64  `json:"value" doc:"A number: durations in days or the metric's unit, money in its currency's unit, percentages from 0 to 100. With across, by what that figure is multiplied: 1 for the figure itself"`
	Across MetricOp `json:"across,omitempty" enum:"sum,avg,min,max" doc:"The bound is this figure of the measures of all groups, of those in the same currency, and no number: with the sum of the value by counterparty, gt and avg keep the counterparties above the average. Rows without a value of a field that is grouped by are not reckoned in"`
}

// The bounds of a question.
const (
	mostGroups   = 3
	mostBounds   = 2
	defaultLimit = 100
	mostLimit    = 1000
)

// Checked validates q, fills in defaults, and resolves relative dates to the time now.
// It is Invalid, with the reason, where q is not valid.
func (q Query) Checked(now time.Time) (Query, error) {
	if !slices.Contains(Sources(), q.Source) {
		return q, fault.Newf(fault.Invalid, "source must be one of %s", join(Sources()))
	}
	if err := q.checkMetric(); err != nil {
		return q, err
	}
	if len(q.GroupBy) > mostGroups {
		return q, fault.Newf(fault.Invalid, "at most %d fields can be grouped by", mostGroups)
	}
	dated := false
	for i, f := range q.GroupBy {
		d, err := q.field(f)
		if err != nil {
			return q, err
		}
		if slices.Contains(q.GroupBy[:i], f) {
			return q, fault.Newf(fault.Invalid, "%s is grouped by twice", f)
		}
		dated = dated || d.Kind == Date
	}
	switch {
	case q.Bucket == "" && dated:
		q.Bucket = Month
	case q.Bucket != "" && !dated:
		return q, fault.New(fault.Invalid, "a bucket needs a date to group by")
	case q.Bucket != "" && !slices.Contains([]Bucket{Day, Week, Month, Quarter, Year}, q.Bucket):
		return q, fault.New(fault.Invalid, "bucket must be one of day, week, month, quarter, year")
	}
	switch q.Sort {
	case "":
		q.Sort = ByValueDesc
		if dated {
			q.Sort = ByKey
		}
	case ByValue, ByValueDesc, ByKey, ByKeyDesc:
	default:
		return q, fault.New(fault.Invalid, "sort must be one of value, -value, key, -key")
	}
	if err := q.checkHaving(); err != nil {
		return q, err
	}
	if err := q.checkAcross(); err != nil {
		return q, err
	}
	if q.Limit == 0 {
		q.Limit = defaultLimit
	}
	if q.Limit < 0 || q.Limit > mostLimit {
		return q, fault.Newf(fault.Invalid, "limit must be from 1 to %d", mostLimit)
	}
	where, err := q.Metric.Condition().Checked(q.Source, now)
	if err != nil {
		return q, err
	}
	only, err := q.checkedOnly(now)
	if err != nil {
		return q, err
	}
	filter, err := q.Filter().Checked(q.Source, now)
	q.Metric.Filters, q.Only, q.Filters = where.Parts(), only, filter.Parts()
	return q, err
}

// checkedOnly are the values of the groups that are wanted.
func (q Query) checkedOnly(now time.Time) ([]Filter, error) {
	for _, f := range q.Only {
		if d, _ := Lookup(f.Field); f.Op != In || d.Kind != Enum || !slices.Contains(q.GroupBy, f.Field) {
			return nil, fault.New(fault.Invalid, "only takes conditions in on fields of words that are grouped by")
		}
	}
	only, err := And(slices.Clone(q.Only)...).Checked(q.Source, now)
	return only.Parts(), err
}

// IsDuration reports whether the numbers of d are durations, which are in days.
func (d Definition) IsDuration() bool {
	return d.Kind == Number && (strings.HasSuffix(d.Key, "_term") || strings.HasSuffix(d.Key, "_period"))
}

// Days is how many days a unit of durations has, 0 if it is none.
func (b Bucket) Days() float64 {
	if b == Quarter {
		return 0
	}
	return dayWords[string(b)]
}

func (q Query) checkMetric() error {
	switch share := q.Metric.Op == Share; {
	case share != (len(q.Metric.Filters) > 0):
		return fault.New(fault.Invalid, "the metric share needs filters of its own, and no other has any")
	case q.Metric.Op == Count && q.Metric.Field != "":
		return fault.New(fault.Invalid, "count takes no field; countDistinct does")
	case (share || q.Metric.Op == Count) && q.Metric.Unit != "":
		return fault.Newf(fault.Invalid, "%s takes no unit", q.Metric.Op)
	case q.Metric.Op == Count, share && q.Metric.Field == "":
		return nil
	}
	if _, err := q.field(q.Metric.Field); err != nil {
		return err
	}
	d := q.Metric.Measured()
	if unit := q.Metric.Unit; unit != "" && (unit.Days() == 0 || !d.IsDuration() && d.Kind != Date || q.Metric.Op == CountDistinct) {
		return fault.New(fault.Invalid, "a unit is that of a duration, or of the time since a date: one of day, week, month, year")
	}
	kinds := []Kind{Number}
	if q.Metric.Unit != "" && (q.Metric.Op == Avg || q.Metric.Op == Median) {
		kinds = append(kinds, Date)
	}
	switch q.Metric.Op {
	case Sum, Avg, Median, Share:
	case Min, Max:
		kinds = append(kinds, Date)
	case CountDistinct:
		kinds = append(kinds, Date, Enum, Text, Boolean)
	case Count:
	default:
		return fault.New(fault.Invalid, "the metric must be one of count, countDistinct, sum, avg, min, max, median, share")
	}
	if !slices.Contains(kinds, d.Kind) {
		return fault.Newf(fault.Invalid, "there is no %s of %s", q.Metric.Op, q.Metric.Field)
	}
	return nil
}

// Measured is the field of m, as a number where its values may be sums. A file whose cap on liability is
// told in other words has no figure then.
func (m Metric) Measured() Definition {
	d, _ := Lookup(m.Field)
	if d.mayBeSum() && m.Op != CountDistinct {
		d.Kind = Number
	}
	return d
}

// IsDate reports whether the value of m is a date, and not a number of dates or of days since one.
func (m Metric) IsDate() bool {
	return m.Measured().Kind == Date && m.Op != CountDistinct && m.Unit == ""
}

func (q Query) checkHaving() error {
	switch {
	case len(q.Having) == 0:
		return nil
	case len(q.Having) > mostBounds:
		return fault.Newf(fault.Invalid, "at most %d bounds can be set to the measure of groups", mostBounds)
	case len(q.GroupBy) == 0:
		return fault.New(fault.Invalid, "having needs a field to group by")
	case q.Metric.IsDate():
		return fault.New(fault.Invalid, "having needs a measure that is a number, and no date")
	}
	for _, b := range q.Having {
		if !slices.Contains([]Op{AtLeast, AtMost, Above, Below}, b.Op) || math.IsNaN(b.Value) || math.IsInf(b.Value, 0) {
			return fault.New(fault.Invalid, "having takes gte, lte, gt or lt and a number")
		}
		if !slices.Contains([]MetricOp{"", Sum, Avg, Min, Max}, b.Across) {
			return fault.New(fault.Invalid, "a bound of having is a number, or so many times one of sum, avg, min, max")
		}
	}
	return nil
}

func (q Query) checkAcross() error {
	switch {
	case q.Across == "":
		return nil
	case !slices.Contains([]MetricOp{Sum, Avg, Min, Max, Median}, q.Across):
		return fault.New(fault.Invalid, "across must be one of sum, avg, min, max, median")
	case len(q.GroupBy) == 0:
		return fault.New(fault.Invalid, "across needs a field to group by")
	case q.Metric.IsDate():
		return fault.New(fault.Invalid, "across needs a measure that is a number, and no date")
	}
	return nil
}

// field is the definition of a field of q's source. Fields of something that a
// row has many of, and its text, can be filtered by and not grouped by.
func (q Query) field(f Field) (Definition, error) {
	d, ok := Lookup(f)
	if !ok {
		return d, fault.Newf(fault.Invalid, "%q is no field", clip(string(f)))
	}
	if !slices.Contains(reach[q.Source], d.Of) || d.Of == Sentences && q.Source == Files || f == Said {
		return d, fault.Newf(fault.Invalid, "%s is no field of %s", f, q.Source)
	}
	return d, nil
}

// Condition is all that has to be true of the rows that Share counts.
func (m Metric) Condition() Filter { return And(slices.Clone(m.Filters)...) }

// Filter is all that q's rows must satisfy.
func (q Query) Filter() Filter { return And(slices.Clone(q.Filters)...) }
