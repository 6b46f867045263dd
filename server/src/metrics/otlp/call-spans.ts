import { type Attempt, inputTokens, type Usage } from '@relay-hub/contract';
import { type AttributeValue, attributes, type OtlpSpan } from './wire.ts';
import { newId, type TraceContext } from './trace-context.ts';

/** The exported facts of a call that has ended: no content, and nothing that holds any. */
export interface CallRecord {
  context: TraceContext;
  requestId: string;
  /** Label of the endpoint in metrics. */
  endpoint: string;
  operation: string;
  dialect: string;
  /** Unix milliseconds. */
  endMs: number;
  totalMs: number;
  outcome: string;
  /** Status and code of the reply, and the account that it belongs to. */
  status: number;
  code: string;
  userId: number;
  tokenId: number;
  group: string;
  credits: number;
  model: string;
  requestedModel: string;
  /** Of the attempt that answered or failed last; undefined: no channel was chosen. */
  last: { provider: string; upstreamModel: string } | undefined;
  isStream: boolean;
  outputLimit: number | undefined;
  /** Undefined: the call is not charged for any. */
  usage: Usage | undefined;
  usageSource: 'upstream' | 'estimate';
  finishReason: string | undefined;
  isCached: boolean;
  attempts: readonly Attempt[];
}

const operations: Readonly<Record<string, string>> = {
  completions: 'text_completion',
  moderations: 'moderation',
  transcriptions: 'transcription',
  translations: 'translation',
  tasks: 'task',
  raw: 'pass_through',
  'images.generations': 'image_generation',
  'images.edits': 'image_edit',
  'images.variations': 'image_variation',
  'images.tools': 'image_tool',
};

/** `gen_ai.operation.name`: a name of the conventions, or of this product where they have none. */
export const operationName = ({ operation, dialect }: Pick<CallRecord, 'operation' | 'dialect'>): string =>
  operation === 'chat' && dialect === 'gemini' ? 'generate_content' : (operations[operation] ?? operation);

const providers: Readonly<Record<string, string>> = {
  azure: 'azure.ai.openai',
  'azure-v1': 'azure.ai.openai',
  bedrock: 'aws.bedrock',
  gemini: 'gcp.gemini',
  vertex: 'gcp.vertex_ai',
  mistral: 'mistral_ai',
  moonshot: 'moonshot_ai',
  // Any upstream with OpenAI's API.
  custom: 'openai',
};

/** `gen_ai.provider.name` of a channel type. */
export const providerName = (id: string | undefined): string => (id === undefined ? 'unknown' : (providers[id] ?? id));

const nanoseconds = (ms: number): string => `${Math.round(ms * 1000)}000`;

/** A span of the call, and one of each attempt below it. Tokens are on the attempt that answered. */
export function spansOf(record: CallRecord, providerOf: (channelId: number) => string | undefined): OtlpSpan[] {
  const { context, endMs, totalMs, attempts } = record;
  const startMs = endMs - totalMs;
  const call = callSpan(record, startMs);
  return [
    call,
    ...attempts.map((attempt, at): OtlpSpan => {
      const last = at === attempts.length - 1 ? record.last : undefined;
      const failed = attempt.result !== 'ok' && !(last && record.outcome === 'client_gone');
      const model = last?.upstreamModel ?? attempt.model ?? record.model;
      const operation = operationName(record);
      return {
        traceId: context.traceId,
        spanId: newId(8),
        parentSpanId: call.spanId,
        name: `${operation} ${model}`,
        kind: 3,
        startTimeUnixNano: nanoseconds(startMs + attempt.start),
        endTimeUnixNano: nanoseconds(startMs + attempt.start + attempt.ms),
        attributes: attributes({
          'gen_ai.operation.name': operation,
          'gen_ai.provider.name': providerName(last?.provider ?? providerOf(attempt.channel_id)),
          'gen_ai.request.model': model,
          ...(record.isStream && { 'gen_ai.request.stream': true }),
          'gen_ai.request.max_tokens': record.outputLimit,
          'http.response.status_code': attempt.status > 0 ? attempt.status : undefined,
          'error.type': failed ? attempt.result : undefined,
          'gen_ai.response.time_to_first_chunk':
            record.isStream && attempt.first_byte !== undefined
              ? { doubleValue: attempt.first_byte / 1000 }
              : undefined,
          'relay_hub.attempt.number': at + 1,
          'relay_hub.attempt.next': attempt.next,
          'relay_hub.channel.id': attempt.channel_id,
          'relay_hub.channel.name': attempt.channel_name,
          'relay_hub.cost.credits': attempt.cost ? { doubleValue: Number(attempt.cost.credits) } : undefined,
          ...(last && lastAttributes(record)),
        }),
        status: failed ? { code: 2, message: attempt.result } : {},
      };
    }),
  ];
}

function callSpan(record: CallRecord, startMs: number): OtlpSpan {
  const { context, endpoint, status, outcome, code } = record;
  // A refusal for the caller's own fault is no error of a server.
  const failed = outcome === 'broken' || status >= 500;
  return {
    traceId: context.traceId,
    spanId: newId(8),
    ...(context.parentId !== undefined && { parentSpanId: context.parentId }),
    name: endpoint,
    kind: 2,
    startTimeUnixNano: nanoseconds(startMs),
    endTimeUnixNano: nanoseconds(record.endMs),
    attributes: attributes({
      'http.route': endpoint,
      'http.response.status_code': status,
      'error.type': failed ? code : undefined,
      'user.id': String(record.userId),
      'relay_hub.request.id': record.requestId,
      'relay_hub.outcome': outcome,
      'relay_hub.error.code': code === 'ok' ? undefined : code,
      'relay_hub.token.id': record.tokenId,
      'relay_hub.group': record.group,
      'relay_hub.model': record.model,
      'relay_hub.requested_model': record.requestedModel === record.model ? undefined : record.requestedModel,
      'relay_hub.charge.credits': record.credits,
      'relay_hub.attempts': record.attempts.length,
      'relay_hub.reply_cache': record.isCached || undefined,
    }),
    status: failed ? { code: 2, message: code } : {},
  };
}

function lastAttributes({ usage, usageSource, finishReason }: CallRecord): Record<string, AttributeValue | undefined> {
  const known = { 'gen_ai.response.finish_reasons': finishReason === undefined ? undefined : [finishReason] };
  if (!usage) return known;
  const some = (count: number): number | undefined => (count > 0 ? count : undefined);
  const written = some(usage.cacheWrite + usage.cacheWrite1h);
  return {
    ...known,
    'gen_ai.usage.input_tokens': inputTokens(usage),
    'gen_ai.usage.output_tokens': usage.output,
    'gen_ai.usage.cache_read.input_tokens': some(usage.cached + usage.cacheRead),
    'gen_ai.usage.cache_creation.input_tokens': written,
    'gen_ai.usage.reasoning.output_tokens': some(usage.reasoning),
    'relay_hub.usage.source': usageSource,
  };
}
