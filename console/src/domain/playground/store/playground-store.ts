import { useSyncExternalStore } from 'react';
import { createStore } from '#api/store.ts';
import { storage } from '#api/storage.ts';
import { saveConversation } from './conversation-db.ts';
import {
  type ModelAnswer,
  type Conversation,
  defaultSettings,
  type Round,
  type Settings,
} from '#domain/playground/playground-types.ts';

const settingsKey = 'playground_settings';
const SAVE_AFTER_MS = 400;
const TITLE_LENGTH = 60;
/** Larger requests are kept on the page only: each would store the pictures of the conversation again. */
const MOST_SENT = 256 * 1024;

/** Unique on this page and in this browser. `randomUUID` needs a secure context. */
export const newId = (): string => `${Date.now().toString(36)}${Math.random().toString(36).slice(2, 10)}`;

/** The conversation on screen. */
export const conversationStore = createStore<Conversation>(emptyConversation(0));

/** Message that is being written. */
export const draftStore = createStore('');

/** Whether the browser could not store the conversation. */
export const unsavedStore = createStore(false);

/** A conversation with the settings of the last one. */
export function emptyConversation(userId: number): Conversation {
  const nowMs = Date.now();
  return { id: newId(), userId, title: '', createdMs: nowMs, changedMs: nowMs, settings: lastSettings(), rounds: [] };
}

/** Remembered without texts, which belong to their conversation. */
function lastSettings(): Settings {
  const kept = storage.getJson(settingsKey);
  if (typeof kept !== 'object' || kept === null) return defaultSettings;
  const known = Object.entries(kept).filter(
    ([name, value]) =>
      name in defaultSettings && typeof value === typeof defaultSettings[name as keyof Settings] && value !== null,
  );
  const settings = { ...defaultSettings, ...Object.fromEntries(known) };
  return { ...settings, models: settings.models.filter((model) => typeof model === 'string') };
}

/** Replaces the conversation on screen; a stored one may lack settings of a newer version. */
export function openConversation(conversation: Conversation): void {
  conversationStore.set({ ...conversation, settings: { ...defaultSettings, ...conversation.settings } });
}

/** The settings on screen; an answer that grows does not change them. */
export const useSettings = (): Settings =>
  useSyncExternalStore(conversationStore.subscribe, () => conversationStore.get().settings);

export function changeSettings(change: Partial<Settings>): void {
  const now = conversationStore.get();
  const settings = { ...now.settings, ...change };
  conversationStore.set({ ...now, settings });
  const { mode, dialect, models, stream } = settings;
  storage.set(settingsKey, JSON.stringify({ mode, dialect, models, stream }));
  if (now.rounds.length > 0) saveSoon();
}

export function setRounds(change: (rounds: Round[]) => Round[]): void {
  const now = conversationStore.get();
  const rounds = change(now.rounds);
  const title = now.title || titleOf(rounds[0]);
  conversationStore.set({ ...now, rounds, title, changedMs: Date.now() });
}

function titleOf(round: Round | undefined): string {
  const title = round?.text.trim().split('\n')[0] || round?.files[0]?.name || '';
  return title.length > TITLE_LENGTH ? `${title.slice(0, TITLE_LENGTH - 1).trimEnd()}…` : title;
}

/** Replaces an answer wherever it is; an answer that was removed meanwhile stays removed. */
export function setAnswer(answer: ModelAnswer): void {
  const now = conversationStore.get();
  const at = now.rounds.findIndex(({ answers }) => answers.some(({ id }) => id === answer.id));
  if (at < 0) return;
  const rounds = now.rounds.map((round, index) =>
    index === at ? { ...round, answers: round.answers.map((each) => (each.id === answer.id ? answer : each)) } : round,
  );
  conversationStore.set({ ...now, rounds });
}

export const isRunning = ({ rounds }: Conversation): boolean =>
  rounds.some(({ answers }) => answers.some(({ state }) => state === 'running'));

let timer: ReturnType<typeof setTimeout> | undefined;

/** Stores the conversation on screen, once for several changes in a row. */
export function saveSoon(): void {
  clearTimeout(timer);
  timer = setTimeout(() => {
    const now = conversationStore.get();
    if (now.rounds.length === 0) return;
    saveConversation(withoutLargeRequests(now)).then(
      () => unsavedStore.set(false),
      () => unsavedStore.set(true), // full or forbidden: the page shows it, and goes on without
    );
  }, SAVE_AFTER_MS);
}

const withoutLargeRequests = (conversation: Conversation): Conversation => ({
  ...conversation,
  rounds: conversation.rounds.map((round) => ({
    ...round,
    answers: round.answers.map((answer) =>
      (answer.sent?.body?.length ?? 0) > MOST_SENT ? { ...answer, sent: undefined } : answer,
    ),
  })),
});

/** Id of the answer whose request the code panel shows; empty: the last one. */
export const codeOfStore = createStore('');

/** Tab of the side panel. */
export const panelTabStore = createStore<'parameters' | 'code'>('parameters');

/** Whether the side panel is open where it is a sheet. */
export const panelOpenStore = createStore(false);

/** Shows the program that sends what was sent for an answer. */
export function showCode(answerId: string): void {
  codeOfStore.set(answerId);
  panelTabStore.set('code');
  panelOpenStore.set(true);
}
