import { channelJobApi, type ChannelJob, type ChannelJobKind } from '@relay-hub/contract';
import type { QueryClient } from '@tanstack/react-query';
import i18next from 'i18next';
import { ApiError } from '#api/api-error.ts';
import { call } from '#api/call.ts';
import { toast } from '#ui/feedback/toast.ts';
import { refreshChannels } from '#screens/panel/channel/channel-cache.ts';
import { channelWords } from '#screens/panel/channel/channel-words.ts';

const lookEveryMs = 700;
/** So many looks in a row may fail before the bar goes: the work itself goes on. */
const mostSilences = 5;
const shownNames = 3;

const watched = new Set<ChannelJobKind>();

/** Starts work on many channels at the server, and shows how far it is, wherever the reader goes. */
export async function startJob(client: QueryClient, start: () => Promise<ChannelJob>): Promise<void> {
  try {
    watchJob(client, await start());
  } catch (error) {
    toast.error(channelWords()('job.notStarted'), { detail: error instanceof Error ? error.message : String(error) });
  }
}

/** Shows work that runs, from wherever it was started; once. */
export function watchJob(client: QueryClient, job: ChannelJob): void {
  if (job.state !== 'running' || watched.has(job.kind)) {
    if (job.state !== 'running') tell(job);
    return;
  }
  watched.add(job.kind);
  void follow(client, job).finally(() => watched.delete(job.kind));
}

async function follow(client: QueryClient, job: ChannelJob): Promise<void> {
  const { kind, total } = job;
  const bar = toast.progress(channelWords()(`job.${kind}`), total, {
    label: i18next.t('cancel', { ns: 'shared' }),
    onClick: () => void call(channelJobApi.cancel, { params: { kind } }).catch(() => undefined),
  });
  try {
    const last = await lastOf(client, job, bar.update);
    if (last) tell(last);
  } finally {
    bar.end();
    void refreshChannels(client);
  }
}

/** Looks until the work has ended; undefined when the server says nothing any more. */
async function lastOf(
  client: QueryClient,
  job: ChannelJob,
  update: (progress: { done: number; total: number }) => void,
): Promise<ChannelJob | undefined> {
  let [silences, done] = [0, job.done];
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
    try {
      // With a signal it waits where the session has ended, as queries do.
      const { signal } = new AbortController();
      const now = (await call(channelJobApi.list, { signal })).find(({ kind }) => kind === job.kind);
      if (!now || now.state !== 'running') return now;
      silences = 0;
      update({ done: now.done, total: now.total });
      if (now.done > done) void refreshChannels(client);
      done = now.done;
    } catch (error) {
      silences++;
      if (silences >= mostSilences || (error instanceof ApiError && error.status === 401)) return undefined;
    }
  }
}

/** Sums up what came of it. */
function tell({ kind, state, total, done, succeeded, failed, skipped, failures, ...switched }: ChannelJob): void {
  const t = channelWords();
  const parts = [
    t(`job.${kind}Sum`, { succeeded, failed }),
    skipped > 0 ? t('job.skipped', { count: skipped }) : '',
    switched.switched_off > 0 ? t('job.switchedOff', { count: switched.switched_off }) : '',
    switched.switched_on > 0 ? t('job.switchedOn', { count: switched.switched_on }) : '',
    state === 'done' ? '' : t('job.cancelled', { done, total }),
  ];
  const said = parts.filter((part) => part !== '').join(t('job.comma'));
  const names = failures.slice(0, shownNames).map(({ name, message }) => `${name}: ${message}`);
  if (failures.length > shownNames) names.push('…');
  if (failed > 0) toast.warning(said, { detail: names.join('\n') });
  else toast.info(said);
}
