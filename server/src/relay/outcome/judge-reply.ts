import { completionTokens, noUsage, type Usage } from '@relay-hub/contract';
import { isObject, listOr, objectOr, parseWithSources, type Json } from '#json.ts';
import { BadReply } from '#chat/chat-errors.ts';
import type { ChatFault, Part } from '#chat/chat.ts';
import { estimateTokens } from '#quota/estimate.ts';
import type { VerdictInput, OperationName, UpstreamRequest, Verdict } from '#relay/types/call-types.ts';
import { isJson, PARSED_BYTES, parseObject, readReply } from '#relay/body/json-reply.ts';
import { RelayError } from '#relay/reply/relay-error.ts';
import type { Operation } from '#providers/operation.ts';
import type { AttemptResult } from '#relay/types/attempt-result.ts';
import { identified } from '#usage/served.ts';
import type { UsageFormat } from '#usage/usage-format.ts';
import { lacksOutputTokens, withEstimatedOutput } from '#usage/zero-output.ts';
import { promptBlocked } from './content-filter.ts';
import { judgeErrorReply } from './judge-failure.ts';
import { readRefusal, unnamedRefusal } from './upstream-refusal.ts';
import { maskAndTrim } from './upstream-text.ts';
import { assumedUsage, failedVerdict } from './verdict.ts';

/** Judges a reply that is not a stream. */
export function judgeReply(call: VerdictInput, result: AttemptResult): Verdict {
  const { usage: format } = call.choice.operation;
  if (call.outgoing.content) return judgeMedia(call, result, call.outgoing.content);
  if (call.outgoing.reply) return judgeConverted(call, result, call.outgoing.reply);
  const reply = readReply(result.body, format);
  const { error } = call.choice.channel.provider;
  // Providers without an error reader mark errors by `error`.
  const refused =
    error || reply.error !== undefined ? readRefusal(call.choice, result, reply.json, call.outgoing.body) : undefined;
  if (refused) return judgeErrorReply(refused, result);
  if (reply.error !== undefined) return judgeErrorReply(unnamedRefusal(call.choice, reply.error), result);
  if (!reply.isComplete) return emptyReply('not a complete JSON reply', 'incomplete or invalid JSON');
  if (isObject(reply.json) && isEmpty(call.operation, reply.json)) {
    const usage = format.read(reply.usage);
    const spent = usage && { usage, served: format.served?.(reply.json) };
    if (hasBlockedPrompt(reply.json))
      return { ...promptBlocked('The prompt was blocked by the content filter.'), spent };
    return { ...emptyReply('the reply is empty', 'an empty reply'), spent };
  }
  const reported = format.read(reply.usage);
  const isChat = call.operation === 'chat' || call.operation === 'completions';
  const charged = usageOfReply(call, reported, () => reply.text());
  return {
    outcome: result.clientGone ? 'client_gone' : 'answered',
    ...charged,
    ...(charged.usageSource === 'estimate' && isChat && isObject(reply.json) && { lacksUsage: true }),
    served: servedIn(format, reply.json ?? (isChat ? parseObject(result.body.toString('utf8')) : undefined)),
    finishReason: reply.finishReason,
    code: 'ok',
    message: undefined,
    reply: {
      status: 200,
      contentType: result.contentType || 'application/json',
      body: wantsBase64(call) ? withBase64(result.body) : result.body,
    },
  };
}

const servedIn = ({ served }: UsageFormat, json: unknown) => identified(served?.(json), json);

const wantsBase64 = ({ operation, json }: VerdictInput): boolean =>
  operation === 'embeddings' && objectOr(json)['encoding_format'] === 'base64';

/** Vectors of vendors that ignore the wish for base64, which OpenAI's client decodes unseen. */
function withBase64(body: Buffer): Buffer {
  if (!/"embedding"\s*:\s*\[/.test(body.toString('latin1', 0, 4096))) return body;
  const json = parseObject(body.toString('utf8')) ?? {};
  const data = listOr(json['data']).map((one) => {
    const { embedding } = objectOr(one);
    if (!Array.isArray(embedding) || !embedding.every((value) => typeof value === 'number')) return one;
    return { ...objectOr(one), embedding: Buffer.from(Float32Array.from(embedding).buffer).toString('base64') };
  });
  return Buffer.from(JSON.stringify({ ...json, data }));
}

/** The list that holds the results in OpenAI's format. */
const listOf = (operation: OperationName): string =>
  operation === 'chat' || operation === 'completions' ? 'choices' : operation === 'embeddings' ? 'data' : 'results';

const isEmpty = (operation: OperationName, json: Json): boolean =>
  !listOr(json[listOf(operation)] ?? (operation === 'rerank' ? json['data'] : undefined)).some(isObject);

/** Azure reports filter findings on the prompt next to the choices. */
const hasBlockedPrompt = (json: Json): boolean =>
  listOr(json['prompt_filter_results']).some((one) =>
    Object.values(objectOr(objectOr(one)['content_filter_results'])).some((found) => objectOr(found)['filtered']),
  );

const emptyReply = (message: string, what: string): Verdict =>
  failedVerdict(
    'bad_reply',
    message,
    new RelayError(502, `The upstream answered with ${what}.`, { type: 'upstream_error', code: 'bad_upstream_reply' }),
  );

/** Reported usage if it agrees with the text; otherwise an estimate. */
function usageOfReply(
  call: VerdictInput,
  reported: Usage | undefined,
  readText: () => string,
): Pick<Verdict, 'usage' | 'usageSource' | 'uncountedText' | 'partlyReported'> {
  if (!reported) return unreportedUsage(call, readText());
  if (call.request.assumed || completionTokens(reported) > 0) return { usage: reported, usageSource: 'upstream' };
  const text = readText();
  const output = estimateTokens(text);
  if (!lacksOutputTokens(reported, output)) return { usage: reported, usageSource: 'upstream' };
  const usage = withEstimatedOutput(reported, call.request.inputTokens, output);
  return { usage, usageSource: 'estimate', uncountedText: text, partlyReported: true };
}

/** The text of a reply, for counting tokens. */
const textOfParts = (parts: readonly Part[]): string =>
  parts
    .map((part) => (part.type === 'tool_call' ? part.name + part.arguments : 'text' in part ? part.text : ''))
    .join('');

/** Judges a reply in another dialect, or one that is converted. */
function judgeConverted(
  call: VerdictInput,
  result: AttemptResult,
  read: NonNullable<UpstreamRequest['reply']>,
): Verdict {
  try {
    const { wire, usage: format } = call.choice.operation;
    const json = wire?.parse ? wire.parse(result.body) : parseJson(result.body);
    const refused = readRefusal(call.choice, result, json, call.outgoing.body);
    if (refused) return judgeErrorReply(refused, result);
    const { reply, converted } = read(json);
    return {
      outcome: result.clientGone ? 'client_gone' : 'answered',
      ...usageOfReply(call, reply.usage, () => textOfParts(reply.parts)),
      served: servedIn(format, json),
      finishReason: reply.finish,
      code: 'ok',
      message: undefined,
      reply: {
        status: 200,
        ...(converted ?? { contentType: result.contentType || 'application/json', body: result.body }),
      },
    };
  } catch (error) {
    return judgeUnreadable(call, result, error);
  }
}

/** A JSON reply short enough to be an error. */
const shortJson = (result: AttemptResult): Json | undefined =>
  result.body.length <= PARSED_BYTES && isJson(result) ? parseObject(result.body.toString('utf8')) : undefined;

/** Judges images, transcripts, audio and converted media. */
function judgeMedia(call: VerdictInput, result: AttemptResult, read: NonNullable<UpstreamRequest['content']>): Verdict {
  try {
    for (const part of result.parts ?? [result]) {
      const json = shortJson(part);
      const refused = json && readRefusal(call.choice, part, json, call.outgoing.body);
      if (refused) return judgeErrorReply(refused, part);
    }
    const { usage, assumed, text, images, converted } = read(result);
    return {
      outcome: result.clientGone ? 'client_gone' : 'answered',
      ...(usage
        ? { usage, usageSource: 'upstream' as const }
        : text === undefined
          ? { usage: assumed ?? assumedUsage(call), usageSource: 'estimate' as const }
          : estimatedUsage(call, text)),
      images,
      finishReason: undefined,
      code: 'ok',
      message: undefined,
      reply: {
        status: 200,
        ...(converted ?? { contentType: result.contentType || 'application/json', body: result.body }),
      },
    };
  } catch (error) {
    return judgeUnreadable(call, result, error);
  }
}

/** Whatever the upstream sent, the call is settled: an unreadable reply is a failure. */
function judgeUnreadable({ choice }: VerdictInput, result: AttemptResult, error: unknown): Verdict {
  const fault: ChatFault =
    error instanceof BadReply ? error.fault : { code: 'bad_reply', message: 'an unreadable reply' };
  // An error with a status is a refusal: a fault of the request is not the channel's.
  if (fault.code === 'error_in_reply' && fault.status !== undefined)
    return judgeErrorReply(unnamedRefusal(choice, fault.message, fault.status), result);
  const message = maskAndTrim(choice, fault.message);
  const spent = spentIn(choice.operation, result);
  if (fault.code === 'prompt_blocked') return { ...promptBlocked(message), spent };
  const code = fault.code === 'error_in_reply' ? 'upstream_error' : 'bad_upstream_reply';
  const refusal = new RelayError(502, `The upstream answered with an error: ${message}`, {
    type: 'upstream_error',
    code,
  });
  return { ...failedVerdict(fault.code, message, refusal), spent };
}

/** Usage in a reply that is no answer, for its cost; undefined: none. */
function spentIn({ usage: format }: Operation, { body }: AttemptResult): Verdict['spent'] {
  const { usage, json } = readReply(body, format);
  const read = format.read(usage);
  return read && { usage: read, served: format.served?.(json) };
}

function estimatedUsage(
  { request }: VerdictInput,
  text: string,
): Pick<Verdict, 'usage' | 'usageSource' | 'uncountedText'> {
  return {
    usage: { ...noUsage, input: request.inputTokens, output: estimateTokens(text) },
    usageSource: 'estimate',
    uncountedText: text,
  };
}

/** Operations with assumed usage need no count of the reply. */
const unreportedUsage = (call: VerdictInput, text: string): Pick<Verdict, 'usage' | 'usageSource' | 'uncountedText'> =>
  call.request.assumed ? { usage: call.request.assumed, usageSource: 'estimate' } : estimatedUsage(call, text);

function parseJson(body: Buffer): unknown {
  try {
    return parseWithSources(body.toString('utf8'));
  } catch {
    throw new BadReply({ code: 'bad_reply', message: 'not a complete JSON reply' });
  }
}
