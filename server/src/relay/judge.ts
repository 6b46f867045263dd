import type { Usage } from '@relay-hub/contract';
import { completionTokens, noUsage } from '@relay-hub/contract';
import { estimateTokens } from '#quota/estimate.ts';
import { BadReply } from '#chat/chat-errors.ts';
import type { Choice } from './choose.ts';
import { type Exchange, saidIn } from './exchange.ts';
import type { ParsedRequest } from './dialects/open-ai.ts';
import { readReply } from './json-reply.ts';
import { shortJson } from './media-reply.ts';
import { RelayError } from './relay-error.ts';
import type { Sent } from './send.ts';
import {
  cleaned,
  refusalFor,
  type Refused,
  refusedIn,
  rejected,
  UNKNOWN_STATUS,
  withoutWords,
} from './upstream-refusal.ts';

/** A request, and what was asked of which channel. */
export interface Judged {
  request: ParsedRequest;
  choice: Choice;
  exchange: Exchange;
}

/** What an attempt came to: for the caller, and for the books. */
export interface Verdict {
  /** `client_gone` also where the channel has calls of callers who left broken off. */
  outcome: 'answered' | 'client_gone' | 'broken' | 'failed';
  usage: Usage;
  usageSource: 'upstream' | 'estimate';
  /** What an answer says whose usage was not told, so that it can be counted better than by its length. */
  said?: string;
  finishReason: string | undefined;
  /** For the attempt's line in the log row: `ok`, or a code. */
  result: string;
  /** What the upstream said when it failed, masked. */
  message: string | undefined;
  /** The upstream said no, and with what. */
  refused?: Refused;
  /** Told to the caller: as the answer, or as the last event of a stream that has begun. */
  refusal?: RelayError;
  reply?: { status: number; contentType: string; body: Buffer };
  /** The end of a stream, kept back until the charge is written. */
  tail?: Buffer | undefined;
}

/** Decides what an attempt's end means. */
export function judge(call: Judged, sent: Sent): Verdict {
  if (sent.stream) return judgeStream(call, sent, sent.stream);
  if (sent.failure?.code === 'client_gone') return leftUnread(call);
  if (sent.failure || sent.status < 200 || sent.status >= 300) return judgeUnanswered(call.choice, sent);
  return judgeReply(call, sent);
}

/** The same of an attempt that brought no answer: nothing came, or a refusal. */
export function judgeUnanswered(choice: Choice, sent: Sent): Verdict {
  const { failure } = sent;
  if (!failure) return judgeRefusal(choice, sent);
  if (failure.code === 'key_unusable') return failed('key_unusable', cleaned(choice, failure.message), rejected());
  return failed(failure.code, failure.message, unreachable(sent));
}

function judgeStream(call: Judged, sent: Sent, stream: NonNullable<Sent['stream']>): Verdict {
  const tail = stream.rest();
  const told = stream.usage();
  const { finishReason } = stream;
  const ended = finishReason !== undefined || stream.endsUnmarked === true;
  const whole = stream.error === undefined && (stream.done || (ended && sent.failure === undefined));
  const heard = call.request.assumed ?? {
    ...noUsage,
    input: call.request.inputTokens,
    output: stream.estimatedOutput(),
  };
  const known = { usage: told ?? heard, usageSource: told ? 'upstream' : 'estimate', finishReason } as const;
  const brokenOff = sent.failure?.code === 'client_gone';
  if (whole || brokenOff)
    return {
      ...known,
      outcome: sent.clientGone ? 'client_gone' : 'answered',
      result: brokenOff ? 'client_gone' : 'ok',
      message: undefined,
      tail,
    };

  const result = stream.error === undefined ? (sent.failure?.code ?? 'stream_broken') : 'error_in_stream';
  const message = cleaned(call.choice, stream.error ?? sent.failure?.message ?? 'the stream ended before its end');
  const refusal = new RelayError(502, 'upstream_error', 'stream_broken', `The upstream broke off: ${message}.`);
  // Nothing was produced, so nothing is charged.
  if (stream.estimatedOutput() === 0 && completionTokens(told ?? noUsage) === 0)
    return {
      ...failed(result, message, stream.error === undefined && isLate(sent) ? unreachable(sent) : refusal),
      finishReason,
      ...(stream.error !== undefined && { refused: withoutWords(call.choice, message) }),
    };
  return { ...known, outcome: 'broken', result, message, refusal };
}

/** The same of an answer that is not OpenAI's, or that the caller does not get as it is. */
function judgeOther(call: Judged, sent: Sent, read: NonNullable<Exchange['reply']>): Verdict {
  try {
    const json = parseJson(sent.body);
    const refused = refusedIn(call.choice, sent, json);
    if (refused) return errorInReply(refused, sent);
    const { reply, told } = read(json);
    return {
      outcome: sent.clientGone ? 'client_gone' : 'answered',
      ...(reply.usage
        ? { usage: reply.usage, usageSource: 'upstream' as const }
        : estimated(call, saidIn(reply.parts))),
      finishReason: reply.finish,
      result: 'ok',
      message: undefined,
      reply: { status: 200, ...(told ?? { contentType: sent.contentType || 'application/json', body: sent.body }) },
    };
  } catch (error) {
    return unreadable(call, error);
  }
}

/** Whatever an upstream says, the call is settled: a reader that stumbles over it found no answer. */
function unreadable({ choice }: Judged, error: unknown): Verdict {
  const fault = error instanceof BadReply ? error.fault : { code: 'bad_reply', message: 'an answer nobody can read' };
  const message = cleaned(choice, fault.message);
  const code = fault.code === 'error_in_reply' ? 'upstream_error' : 'bad_upstream_reply';
  return failed(
    fault.code,
    message,
    new RelayError(502, 'upstream_error', code, `The upstream answered with an error: ${message}`),
  );
}

/** The same of images, texts that were written down, sound, and all that was put into other words. */
function judgeContent(call: Judged, sent: Sent, read: NonNullable<Exchange['content']>): Verdict {
  try {
    const json = shortJson(sent);
    const refused = json && refusedIn(call.choice, sent, json);
    if (refused) return errorInReply(refused, sent);
    const { usage, assumed, said: text, told } = read(sent);
    return {
      outcome: sent.clientGone ? 'client_gone' : 'answered',
      ...(usage
        ? { usage, usageSource: 'upstream' as const }
        : text === undefined
          ? { usage: assumed ?? assumedOf(call), usageSource: 'estimate' as const }
          : estimated(call, text)),
      finishReason: undefined,
      result: 'ok',
      message: undefined,
      reply: { status: 200, ...(told ?? { contentType: sent.contentType || 'application/json', body: sent.body }) },
    };
  } catch (error) {
    return unreadable(call, error);
  }
}

const assumedOf = ({ request }: Judged): Usage => request.assumed ?? { ...noUsage, input: request.inputTokens };

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new BadReply({ code: 'bad_reply', message: 'not a whole JSON answer' });
  }
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

/** The caller left and the answer was not waited for: the upstream has read the prompt, and nobody knows what it said. */
function leftUnread(call: Judged): Verdict {
  return {
    outcome: 'client_gone',
    usage: assumedOf(call),
    usageSource: 'estimate',
    finishReason: undefined,
    result: 'client_gone',
    message: undefined,
  };
}

function judgeReply(call: Judged, sent: Sent): Verdict {
  const { usage: format } = call.choice.operation;
  if (call.exchange.content) return judgeContent(call, sent, call.exchange.content);
  if (call.exchange.reply) return judgeOther(call, sent, call.exchange.reply);
  const reply = readReply(sent.body, format);
  const { error } = call.choice.channel.provider;
  // Where a provider has no words of its own for it, an answer without `error` is none.
  const refused = error || reply.error !== undefined ? refusedIn(call.choice, sent, reply.json) : undefined;
  if (refused) return errorInReply(refused, sent);
  if (reply.error !== undefined) return errorInReply(withoutWords(call.choice, reply.error), sent);
  if (!reply.whole) {
    return failed(
      'bad_reply',
      'not a whole JSON answer',
      new RelayError(
        502,
        'upstream_error',
        'bad_upstream_reply',
        'The upstream answered with something that is not a whole JSON answer.',
      ),
    );
  }
  const told = format.read(reply.usage);
  return {
    outcome: sent.clientGone ? 'client_gone' : 'answered',
    ...(told ? { usage: told, usageSource: 'upstream' } : unheard(call, reply.text())),
    finishReason: reply.finishReason,
    result: 'ok',
    message: undefined,
    reply: { status: 200, contentType: sent.contentType || 'application/json', body: sent.body },
  };
}

function judgeRefusal(choice: Choice, sent: Sent): Verdict {
  const { status } = sent;
  const refused = refusedIn(choice, sent, jsonIn(sent.body)) ?? withoutWords(choice, `HTTP status ${status}`, status);
  return {
    ...failed('upstream_status', `${status} ${refused.message}`, refusalFor(refused, sent)),
    refused,
  };
}

function jsonIn(body: Buffer): unknown {
  try {
    return parseJson(body);
  } catch {
    return undefined;
  }
}

/** An error that came with a success status. */
function errorInReply(refused: Refused, sent: Sent): Verdict {
  const { message, status } = refused;
  const refusal =
    status === UNKNOWN_STATUS
      ? new RelayError(502, 'upstream_error', 'upstream_error', `The upstream answered with an error: ${message}`)
      : refusalFor(refused, sent);
  return { ...failed('error_in_reply', message, refusal), refused };
}

const isLate = ({ failure }: Sent): boolean => failure?.code.endsWith('timeout') ?? false;

function unreachable(sent: Sent): RelayError {
  if (isLate(sent))
    return new RelayError(504, 'upstream_error', 'upstream_timeout', 'The upstream did not answer in time.');
  const { failure } = sent;
  return new RelayError(
    502,
    'upstream_error',
    failure?.code === 'connect_failed' ? 'upstream_unreachable' : 'bad_upstream_reply',
    `The upstream could not be used: ${failure?.message ?? 'no answer'}.`,
  );
}

/** The verdict on an attempt that brought nothing. */
export function failed(result: string, message: string, refusal: RelayError): Verdict {
  return {
    outcome: 'failed',
    usage: noUsage,
    usageSource: 'upstream',
    finishReason: undefined,
    result,
    message,
    refusal,
  };
}
