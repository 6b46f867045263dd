import protobuf from 'protobufjs';

/**
 * Fields of the messages that a receiver of traces and metrics reads, with the numbers of the published protocol,
 * https://opentelemetry.io/docs/specs/otlp/ (v1.9). Independent of the encoder under test.
 */
const source = `
  syntax = "proto3";
  message Traces { repeated ResourceSpans resource_spans = 1; }
  message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; string schema_url = 3; }
  message ScopeSpans { Scope scope = 1; repeated Span spans = 2; string schema_url = 3; }
  message Span {
    bytes trace_id = 1; bytes span_id = 2; string trace_state = 3; bytes parent_span_id = 4; fixed32 flags = 16;
    string name = 5; int32 kind = 6; fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8;
    repeated Attribute attributes = 9; Status status = 15;
  }
  message Status { string message = 2; int32 code = 3; }

  message Metrics { repeated ResourceMetrics resource_metrics = 1; }
  message ResourceMetrics { Resource resource = 1; repeated ScopeMetrics scope_metrics = 2; string schema_url = 3; }
  message ScopeMetrics { Scope scope = 1; repeated Metric metrics = 2; string schema_url = 3; }
  message Metric {
    string name = 1; string description = 2; string unit = 3;
    oneof data { Gauge gauge = 5; Sum sum = 7; Histogram histogram = 9; }
  }
  message Gauge { repeated NumberPoint data_points = 1; }
  message Sum { repeated NumberPoint data_points = 1; int32 aggregation_temporality = 2; bool is_monotonic = 3; }
  message Histogram { repeated HistogramPoint data_points = 1; int32 aggregation_temporality = 2; }
  message NumberPoint {
    repeated Attribute attributes = 7; fixed64 start_time_unix_nano = 2; fixed64 time_unix_nano = 3;
    oneof value { double as_double = 4; sfixed64 as_int = 6; }
  }
  message HistogramPoint {
    repeated Attribute attributes = 9; fixed64 start_time_unix_nano = 2; fixed64 time_unix_nano = 3;
    fixed64 count = 4; optional double sum = 5; repeated fixed64 bucket_counts = 6; repeated double explicit_bounds = 7;
  }

  message Resource { repeated Attribute attributes = 1; }
  message Scope { string name = 1; string version = 2; repeated Attribute attributes = 3; }
  message Attribute { string key = 1; Value value = 2; }
  message Values { repeated Value values = 1; }
  message Value {
    oneof value {
      string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; Values array_value = 5;
    }
  }
`;

export const otlpSchema = protobuf.parse(source).root;
