import { completionTokens, noUsage, type Usage } from '@relay-hub/contract';
import type { Fault, Json } from '#chat/chat.ts';
import { BadReply } from '#chat/chat-errors.ts';
import { isObject, listOr, objectOr } from '#chat/fields.ts';
import { estimateTokens } from '#quota/estimate.ts';
import { contradictsText, withEstimatedOutput } from '#usage/zero-output.ts';
import { promptBlocked } from './content-filter.ts';
import { type Exchange, saidIn } from '#relay/convert/exchange.ts';
import { errorInReply } from './judge-failure.ts';
import { readReply } from '#relay/convert/json-reply.ts';
import { shortJson } from '#relay/convert/media-reply.ts';
import type { OperationName } from '#relay/select/offer.ts';
import { RelayError } from '#relay/routes/relay-error.ts';
import type { Sent } from '#relay/upstream/sent.ts';
import { refusedIn, withoutWords } from './upstream-refusal.ts';
import { cleaned } from './upstream-text.ts';
import { assumedOf, failed, type Judged, type Verdict } from './verdict.ts';

/** Decides what an answer in one piece means. */
export function judgeReply(call: Judged, sent: Sent): Verdict {
  const { usage: format } = call.choice.operation;
  if (call.exchange.content) return judgeContent(call, sent, call.exchange.content);
  if (call.exchange.reply) return judgeOther(call, sent, call.exchange.reply);
  const reply = readReply(sent.body, format);
  const { error } = call.choice.channel.provider;
  // Where a provider has no words of its own for it, an answer without `error` is none.
  const refused =
    error || reply.error !== undefined ? refusedIn(call.choice, sent, reply.json, call.exchange.body) : undefined;
  if (refused) return errorInReply(refused, sent);
  if (reply.error !== undefined) return errorInReply(withoutWords(call.choice, reply.error), sent);
  if (!reply.whole) return noAnswer('not a whole JSON answer', 'something that is not a whole JSON answer');
  if (isObject(reply.json) && isEmpty(call.operation, reply.json)) {
    if (hasBlockedPrompt(reply.json)) return promptBlocked('The prompt was blocked by the content filter.');
    return noAnswer('the answer is empty', 'an empty answer');
  }
  return {
    outcome: sent.clientGone ? 'client_gone' : 'answered',
    ...usageOfReply(call, format.read(reply.usage), () => reply.text()),
    finishReason: reply.finishReason,
    result: 'ok',
    message: undefined,
    reply: { status: 200, contentType: sent.contentType || 'application/json', body: sent.body },
  };
}

/** Where an answer in OpenAI's form holds what was asked for. */
const listOf = (operation: OperationName): string =>
  operation === 'chat' || operation === 'completions' ? 'choices' : operation === 'embeddings' ? 'data' : 'results';

const isEmpty = (operation: OperationName, json: Json): boolean =>
  !listOr(json[listOf(operation)] ?? (operation === 'rerank' ? json['data'] : undefined)).some(isObject);

/** Azure says beside the choices what its filter found in the prompt. */
const hasBlockedPrompt = (json: Json): boolean =>
  listOr(json['prompt_filter_results']).some((one) =>
    Object.values(objectOr(objectOr(one)['content_filter_results'])).some((found) => objectOr(found)['filtered']),
  );

const noAnswer = (message: string, what: string): Verdict =>
  failed(
    'bad_reply',
    message,
    new RelayError(502, 'upstream_error', 'bad_upstream_reply', `The upstream answered with ${what}.`),
  );

/** What was used: as the upstream reported it, as far as that agrees with the text that came; otherwise an estimate. */
function usageOfReply(
  call: Judged,
  told: Usage | undefined,
  said: () => string,
): Pick<Verdict, 'usage' | 'usageSource' | 'said' | 'reported'> {
  if (!told) return unheard(call, said());
  if (call.request.assumed || completionTokens(told) > 0) return { usage: told, usageSource: 'upstream' };
  const text = said();
  const output = estimateTokens(text);
  if (!contradictsText(told, output)) return { usage: told, usageSource: 'upstream' };
  const usage = withEstimatedOutput(told, call.request.inputTokens, output);
  return { usage, usageSource: 'estimate', said: text, reported: true };
}

/** The same of an answer that is not OpenAI's, or that the caller does not get as it is. */
function judgeOther(call: Judged, sent: Sent, read: NonNullable<Exchange['reply']>): Verdict {
  try {
    const json = parseJson(sent.body);
    const refused = refusedIn(call.choice, sent, json, call.exchange.body);
    if (refused) return errorInReply(refused, sent);
    const { reply, told } = read(json);
    return {
      outcome: sent.clientGone ? 'client_gone' : 'answered',
      ...usageOfReply(call, reply.usage, () => saidIn(reply.parts)),
      finishReason: reply.finish,
      result: 'ok',
      message: undefined,
      reply: { status: 200, ...(told ?? { contentType: sent.contentType || 'application/json', body: sent.body }) },
    };
  } catch (error) {
    return unreadable(call, sent, error);
  }
}

/** The same of images, texts that were written down, sound, and all that was put into other words. */
function judgeContent(call: Judged, sent: Sent, read: NonNullable<Exchange['content']>): Verdict {
  try {
    for (const part of sent.parts ?? [sent]) {
      const json = shortJson(part);
      const refused = json && refusedIn(call.choice, part, json, call.exchange.body);
      if (refused) return errorInReply(refused, part);
    }
    const { usage, assumed, said: text, images, told } = read(sent);
    return {
      outcome: sent.clientGone ? 'client_gone' : 'answered',
      ...(usage
        ? { usage, usageSource: 'upstream' as const }
        : text === undefined
          ? { usage: assumed ?? assumedOf(call), usageSource: 'estimate' as const }
          : estimated(call, text)),
      images,
      finishReason: undefined,
      result: 'ok',
      message: undefined,
      reply: { status: 200, ...(told ?? { contentType: sent.contentType || 'application/json', body: sent.body }) },
    };
  } catch (error) {
    return unreadable(call, sent, error);
  }
}

/** Whatever an upstream says, the call is settled: a reader that stumbles over it found no answer. */
function unreadable({ choice }: Judged, sent: Sent, error: unknown): Verdict {
  const fault: Fault =
    error instanceof BadReply ? error.fault : { code: 'bad_reply', message: 'an answer nobody can read' };
  // With a status it is a refusal like any other: what is wrong with the request is not the channel's fault.
  if (fault.code === 'error_in_reply' && fault.status !== undefined)
    return errorInReply(withoutWords(choice, fault.message, fault.status), sent);
  const message = cleaned(choice, fault.message);
  if (fault.code === 'prompt_blocked') return promptBlocked(message);
  const code = fault.code === 'error_in_reply' ? 'upstream_error' : 'bad_upstream_reply';
  return failed(
    fault.code,
    message,
    new RelayError(502, 'upstream_error', code, `The upstream answered with an error: ${message}`),
  );
}

function estimated({ request }: Judged, said: string): Pick<Verdict, 'usage' | 'usageSource' | 'said'> {
  return {
    usage: { ...noUsage, input: request.inputTokens, output: estimateTokens(said) },
    usageSource: 'estimate',
    said,
  };
}

/** Where a call says by itself what it uses, its answer is not counted. */
const unheard = (call: Judged, said: string): Pick<Verdict, 'usage' | 'usageSource' | 'said'> =>
  call.request.assumed ? { usage: call.request.assumed, usageSource: 'estimate' } : estimated(call, said);

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new BadReply({ code: 'bad_reply', message: 'not a whole JSON answer' });
  }
}
