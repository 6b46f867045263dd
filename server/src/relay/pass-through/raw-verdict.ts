import type { ServerResponse } from 'node:http';
import type { Attempt } from '@relay-hub/contract';
import { noUsage } from '@relay-hub/contract';
import type { Admitted, Ended } from '#relay/call/attempts.ts';
import type { Choice } from '#relay/select/choose.ts';
import { callHeaders } from '#relay/routes/headers.ts';
import { failed, type Verdict } from '#relay/outcome/verdict.ts';
import { closed, outOfFiles, RelayError } from '#relay/routes/relay-error.ts';
import { rejected } from '#relay/outcome/upstream-refusal.ts';
import {
  bodyForCaller,
  cleaned,
  headersForCaller,
  noteMessage,
  refusalForCaller,
} from '#relay/outcome/upstream-text.ts';
import { LARGEST_REFUSAL, type RawEnd } from './raw-exchange.ts';

export type RawEnded = Omit<Ended, 'exchange'> & { headers: Record<string, string> };

/** What a call that was passed on came to, for its row and for its caller. */
export function endedRaw(choice: Choice, end: RawEnd, startMs: number): RawEnded {
  const verdict = judgeRaw(choice, end);
  if (verdict.refusal) verdict.refusal = refusalForCaller(choice, verdict.refusal);
  const attempt: Attempt = {
    channel_id: choice.channel.id,
    channel_name: choice.channel.name,
    status: end.status,
    start: startMs,
    ms: end.ms,
    result: verdict.result,
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

function judgeRaw(choice: Choice, { status, failure, refusal, body, headers }: RawEnd): Verdict {
  const passed = { usage: noUsage, usageSource: 'upstream', finishReason: undefined, message: undefined } as const;
  if (refusal) return failed(refusal.code, refusal.message, refusal);
  if (failure?.code === 'client_gone') return { ...passed, outcome: 'client_gone', result: 'client_gone' };
  if (failure) return { ...failed(failure.code, failure.message, unreachable(failure)), ...broken(status) };
  if (status < 300) return { ...passed, outcome: 'answered', result: 'ok' };
  const message = cleaned(choice, body.toString('utf8'));
  // The channel's key or account is at fault, which is the operator's business, not the caller's key.
  if (status === 401 || status === 402 || status === 403)
    return failed('upstream_status', `${status} ${message}`, rejected());
  return {
    ...passed,
    outcome: 'failed',
    result: 'upstream_status',
    message: `${status} ${message}`,
    reply: {
      status,
      contentType: headers['content-type'] ?? 'text/plain',
      body: Buffer.from(bodyForCaller(choice, body.toString('utf8'), body.length >= LARGEST_REFUSAL)),
    },
  };
}

/** Some of the answer has reached the caller already. */
const broken = (status: number): Partial<Verdict> => (status === 0 ? {} : { outcome: 'broken' });

function unreachable({ code, message }: { code: string; message: string }): RelayError {
  if (code === 'out_of_files') return outOfFiles();
  if (code === 'timeout')
    return new RelayError(504, 'upstream_error', 'upstream_timeout', 'The upstream did not answer in time.');
  return new RelayError(
    502,
    'upstream_error',
    'upstream_unreachable',
    `The upstream could not be used: ${closed(message)}`,
  );
}

/** Sends what is left to send. Throws the refusal where nothing has been sent. */
export function answerRaw(
  response: ServerResponse,
  { requestId, rate }: Admitted,
  { verdict, headers }: RawEnded,
): void {
  const { refusal, reply } = verdict;
  if (response.destroyed) return;
  if (refusal && !response.headersSent) throw refusal;
  // A broken answer must not look like a whole one.
  if (refusal) return void response.destroy();
  if (!reply) return void response.end();
  const { 'content-length': _, 'content-encoding': __, ...others } = headers;
  response.writeHead(reply.status, {
    ...others,
    ...callHeaders(requestId, rate),
    'content-type': reply.contentType,
    'content-length': reply.body.length,
  });
  response.end(reply.body);
}
