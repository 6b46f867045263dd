import type { ServerResponse } from 'node:http';
import { type Attempt, noUsage } from '@relay-hub/contract';
import type { ChannelChoice, FinishedCall, RelayCall, Verdict } from '#relay/types/call-types.ts';
import { credentialsRejected } from '#relay/outcome/upstream-refusal.ts';
import {
  bodyForCaller,
  headersForCaller,
  maskAndTrim,
  noteMessage,
  refusalForCaller,
} from '#relay/outcome/upstream-text.ts';
import { failedVerdict } from '#relay/outcome/verdict.ts';
import { passedHeaders } from '#relay/reply/headers.ts';
import { endSentence, outOfFiles, RelayError } from '#relay/reply/relay-error.ts';
import { MAX_REFUSAL_BYTES, type RawResult } from './raw-exchange.ts';

export type FinishedRawCall = FinishedCall & { headers: Record<string, string> };

/** Judges a pass-through call. */
export function finishRawCall(choice: ChannelChoice, end: RawResult, startMs: number): FinishedRawCall {
  const verdict = judgeRaw(choice, end);
  if (verdict.refusal) verdict.refusal = refusalForCaller(choice, verdict.refusal);
  const attempt: Attempt = {
    channel_id: choice.channel.id,
    channel_name: choice.channel.name,
    status: end.status,
    start: startMs,
    ms: end.ms,
    result: verdict.code,
    ...(end.headMs !== undefined && { first_byte: end.headMs }),
  };
  noteMessage(attempt, choice, verdict.message);
  return {
    choice,
    verdict,
    attempts: [attempt],
    firstMs: end.headMs === undefined ? undefined : startMs + end.headMs,
    headers: end.status < 300 ? end.headers : headersForCaller(choice, end.headers),
  };
}

function judgeRaw(choice: ChannelChoice, { status, failure, refusal, body, headers }: RawResult): Verdict {
  const passed = { usage: noUsage, usageSource: 'upstream', finishReason: undefined, message: undefined } as const;
  if (refusal) return failedVerdict(refusal.code, refusal.message, refusal);
  if (failure?.code === 'client_gone') return { ...passed, outcome: 'client_gone', code: 'client_gone' };
  if (failure)
    return { ...failedVerdict(failure.code, failure.message, unreachableUpstream(failure)), ...brokenIfBegun(status) };
  if (status < 300) return { ...passed, outcome: 'answered', code: 'ok' };
  const message = maskAndTrim(choice, body.toString('utf8'));
  // The channel's key or account is the operator's concern.
  if (status === 401 || status === 402 || status === 403)
    return failedVerdict('upstream_status', `${status} ${message}`, credentialsRejected());
  return {
    ...passed,
    outcome: 'failed',
    code: 'upstream_status',
    message: `${status} ${message}`,
    reply: {
      status,
      contentType: headers['content-type'] ?? 'text/plain',
      body: Buffer.from(bodyForCaller(choice, body.toString('utf8'), body.length >= MAX_REFUSAL_BYTES)),
    },
  };
}

/** Part of the response has reached the caller. */
const brokenIfBegun = (status: number): Partial<Verdict> => (status === 0 ? {} : { outcome: 'broken' });

function unreachableUpstream({ code, message }: { code: string; message: string }): RelayError {
  if (code === 'out_of_files') return outOfFiles();
  if (code === 'timeout')
    return new RelayError(504, 'The upstream did not answer in time.', {
      type: 'upstream_error',
      code: 'upstream_timeout',
    });
  return new RelayError(502, `The upstream could not be used: ${endSentence(message)}`, {
    type: 'upstream_error',
    code: 'upstream_unreachable',
  });
}

/** Sends the rest of the response. Throws the refusal if nothing has been sent. */
export function sendRawReply(
  response: ServerResponse,
  { requestId, rate }: RelayCall,
  { verdict, headers }: FinishedRawCall,
): void {
  const { refusal, reply } = verdict;
  if (response.destroyed) return;
  if (refusal && !response.headersSent) throw refusal;
  // A broken response must not look complete.
  if (refusal) return void response.destroy();
  if (!reply) return void response.end();
  const { 'content-length': _, 'content-encoding': __, ...others } = headers;
  response.writeHead(reply.status, {
    ...passedHeaders(others, requestId, rate),
    'content-type': reply.contentType,
    'content-length': reply.body.length,
  });
  response.end(reply.body);
}
