import { noUsage } from '@relay-hub/contract';
import { objectOr, textOr } from '#json.ts';
import type { Deps } from '#deps.ts';
import { DEFERRED_OUTPUT } from '#relay/call/estimate.ts';
import type { FinishedAttempts, RelayCall } from '#relay/types/call-types.ts';
import type { ParsedRequest } from '#relay/types/parsed-request.ts';
import type { CallState } from '#relay/types/call-state.ts';
import { badRequest } from '#relay/reply/relay-error.ts';

const FIRST_POLL_S = 5;
const DEADLINE_S = 86_400;

/** Throws a 400 for a background response that is not stored, so it could not be fetched later. */
export function checkBackground(json: unknown): void {
  const { background, store } = objectOr(json);
  if (background === true && store === false)
    throw badRequest("'background' needs 'store': the response is fetched later.", 'store');
}

/**
 * Reserves an output for a response in the background that names no limit: its reply has no usage yet. Where responses
 * are stored here, channels with another dialect can take it too.
 */
export function prepareBackground(
  { json, state }: { json: unknown; state?: CallState | undefined },
  request: ParsedRequest,
): void {
  if (request.stream || objectOr(json)['background'] !== true) return;
  request.outputLimit ??= DEFERRED_OUTPUT;
  const chat = state && state.storeHours > 0 ? request.chat?.() : undefined;
  if (chat?.stateField === 'background') chat.stateField = undefined;
}

/**
 * A response that goes on in the background is charged with its reservation, and becomes a task that is settled when it
 * has ended.
 */
export function settleLater({ now }: Deps, call: RelayCall, finished: FinishedAttempts): void {
  const { state, request } = call;
  const { choice, verdict } = finished;
  const { id, status } = state?.reply ?? {};
  if (state?.kind !== 'response' || verdict.outcome !== 'answered') return;
  if (status !== 'queued' && status !== 'in_progress') return;
  const { channel, key, price } = choice;
  const output = request.outputLimit ?? DEFERRED_OUTPUT;
  verdict.usage = { ...noUsage, input: request.inputTokens, output, units: 1 };
  verdict.usageSource = 'estimate';
  delete verdict.doubt;
  delete verdict.uncountedText;
  const upstreamId = textOr(id, '');
  // Without the means to ask for it, the reservation stays charged.
  if (!channel.provider.background || upstreamId === '') return;
  const { type, version, model, channel_type, input, output: ofOutput, extra_ratios, rules, fees } = price;
  const { modes, region, others } = choice.options ?? {};
  finished.content = 'Response in the background';
  finished.task = {
    taskId: `background_${call.requestId}`,
    confirms: false,
    platform: 'response',
    action: 'RESPONSE',
    mode: '',
    code: 0,
    status: 'SUBMITTED',
    progress: 0,
    submitMs: Date.now(),
    prompt: '',
    description: '',
    state: '',
    properties: '{}',
    keyId: key.id,
    channelType: channel.provider.type,
    baseUrl: channel.baseUrl,
    upstreamId,
    upstreamModel: choice.upstreamModel,
    vendor: '{}',
    media: '[]',
    request: JSON.stringify({
      requests: 1,
      usage: verdict.usage,
      terms: { type, version, model, channel_type, input, output: ofOutput, extra_ratios, rules, fees },
      ordered: { modes, region, others, at: call.startedS },
      group_ratio: call.group.ratio,
    }),
    requestKey: '',
    parentTaskId: '',
    notifyHook: '',
    nextPollAt: now() + FIRST_POLL_S,
    deadline: now() + DEADLINE_S,
    cancellable: false,
  };
}
