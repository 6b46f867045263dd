import { logApi, userApi } from '@relay-hub/contract';
import { flushSync } from 'react-dom';
import { call } from '#api/call.ts';
import { buildRequest } from '#domain/playground/request/build-request.ts';
import { AnswerDraft } from '#domain/playground/stream/answer-draft.ts';
import { sendCall } from '#domain/playground/stream/send-call.ts';
import type { Attachment, ModelAnswer, Round, Settings } from '#domain/playground/playground-types.ts';
import {
  codeOfStore,
  conversationStore,
  emptyConversation,
  newId,
  openConversation,
  saveSoon,
  setAnswer,
  setRounds,
} from './playground-store.ts';

/** A page without frames, as in a background tab, is updated at this interval. */
const HIDDEN_MS = 500;
/** Share of the time that drawing may take: after a slow frame the next one waits, so that typing stays quick. */
const REST_FACTOR = 4;

interface FrameFlush {
  /** Asks for an update. */
  request(): void;
  /** Updates at once and forgets a pending update. */
  now(): void;
}

/** Runs `update` at most once per frame, and less often while drawing its result is slow. */
function flushPerFrame(update: () => void): FrameFlush {
  let frame = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let notBeforeMs = 0;
  const clear = () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    frame = 0;
    timer = undefined;
  };
  const flush = () => {
    clear();
    const startMs = performance.now();
    // Synchronously, to measure what it costs.
    flushSync(update);
    const endMs = performance.now();
    notBeforeMs = endMs + (endMs - startMs) * REST_FACTOR;
  };
  return {
    request() {
      if (timer !== undefined) return;
      const waitMs = notBeforeMs - performance.now();
      if (waitMs > 16) {
        timer = setTimeout(flush, waitMs);
        return;
      }
      timer = setTimeout(flush, HIDDEN_MS);
      frame = requestAnimationFrame(flush);
    },
    now: flush,
  };
}

/** The charge of a stopped call is known when its upstream has ended. */
const CHARGE_TRIES_MS = [0, 1500, 6000];

const running = new Map<string, AbortController>();

/** Adds a message of the user and asks every chosen model. */
export function sendMessage(text: string, files: Attachment[]): void {
  const round: Round = { id: newId(), text, files, answers: [] };
  codeOfStore.set('');
  setRounds((rounds) => [...rounds, round]);
  answerRound(round.id);
}

/** Replaces a message; everything after it goes away. */
export function resendMessage(roundId: string, text: string): void {
  stopAll();
  setRounds((rounds) => {
    const at = rounds.findIndex(({ id }) => id === roundId);
    return rounds.slice(0, at + 1).map((round, index) => (index === at ? { ...round, text, answers: [] } : round));
  });
  answerRound(roundId);
}

function answerRound(roundId: string): void {
  const { settings } = conversationStore.get();
  const answers = settings.models.map(emptyAnswer);
  setRounds((rounds) => rounds.map((round) => (round.id === roundId ? { ...round, answers } : round)));
  answers.forEach((answer, lane) => void run(roundId, lane, answer));
}

/** Asks for another answer in place of one, from the same or another model; `change` replaces settings once. */
export function retryAnswer(
  roundId: string,
  answerId: string,
  change: Partial<Settings> & { model?: string } = {},
): void {
  const { rounds } = conversationStore.get();
  const round = rounds.find(({ id }) => id === roundId);
  const lane = round?.answers.findIndex(({ id }) => id === answerId) ?? -1;
  const before = round?.answers[lane];
  if (!round || !before) return;
  running.get(answerId)?.abort();
  const { model = before.model, ...settings } = change;
  const answer = emptyAnswer(model);
  setRounds((all) =>
    all.map((each) =>
      each.id === roundId
        ? { ...each, answers: each.answers.map((old) => (old.id === answerId ? answer : old)) }
        : each,
    ),
  );
  void run(roundId, lane, answer, settings);
}

/** A new conversation that begins like this one, up to the answers of a round. */
export function branchAfter(roundId: string): void {
  const { userId, settings, rounds, title } = conversationStore.get();
  const at = rounds.findIndex(({ id }) => id === roundId);
  openConversation({ ...emptyConversation(userId), settings, title, rounds: rounds.slice(0, at + 1) });
  saveSoon();
}

export function stopAll(): void {
  for (const controller of running.values()) controller.abort();
}

const emptyAnswer = (model: string): ModelAnswer => ({
  id: newId(),
  model,
  state: 'running',
  text: '',
  reasoning: '',
  tools: [],
  media: [],
});

async function run(roundId: string, lane: number, start: ModelAnswer, change: Partial<Settings> = {}): Promise<void> {
  const { settings: chosen, rounds } = conversationStore.get();
  const models = [...chosen.models];
  models[lane] = start.model;
  const settings: Settings = { ...chosen, ...change, models };
  const upTo = rounds.slice(0, rounds.findIndex(({ id }) => id === roundId) + 1);
  const sent = buildRequest(settings, upTo, lane);
  const controller = new AbortController();
  running.set(start.id, controller);
  const draft = new AnswerDraft({ ...start, sent });
  const flush = flushPerFrame(() => setAnswer(draft.copy()));
  try {
    const { mode, dialect } = settings;
    const file = upTo.at(-1)?.files[0];
    await sendCall({ mode, dialect, sent, file, signal: controller.signal }, draft, () => flush.request());
    draft.note({ state: draft.failed ? 'failed' : 'done' });
    // Without a session, any call of the console opens the sign-in.
    if (draft.isSignedOut) void call(userApi.self).catch(() => undefined);
  } catch {
    draft.note({ state: 'stopped' }); // `sendCall` rejects only then
  } finally {
    running.delete(start.id);
    flush.now();
    saveSoon();
  }
  await findCharge(start.id);
}

const answerOf = (id: string): ModelAnswer | undefined =>
  conversationStore
    .get()
    .rounds.flatMap(({ answers }) => answers)
    .find((answer) => answer.id === id);

/** Looks up in the log what the call cost. Refused calls cost nothing and have no row with a charge. */
async function findCharge(answerId: string): Promise<void> {
  for (const waitMs of CHARGE_TRIES_MS) {
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    const { requestId, state } = answerOf(answerId) ?? {};
    if (requestId === undefined) return;
    try {
      const { data } = await call(logApi.ownList, { query: { request_id: requestId, log_type: 2 } });
      const [row] = data;
      const answer = answerOf(answerId);
      if (row && answer) {
        const usage = answer.usage ?? { input: row.prompt_tokens, output: row.completion_tokens };
        // The charge of a task that failed is returned.
        const charged = answer.task && answer.state === 'failed' ? 0 : row.quota;
        setAnswer({ ...answer, charged, usage });
        return saveSoon();
      }
    } catch {
      // The answer is complete without its cost; the log shows it later.
    }
    if (state === 'failed') return;
  }
}
