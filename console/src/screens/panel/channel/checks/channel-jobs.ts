import { channelJobApi, type ChannelJob, type ChannelJobKind } from '@relay-hub/contract';
import type { QueryClient } from '@tanstack/react-query';
import { i18n } from '#i18n/t.ts';
import { ApiError } from '#api/api-error.ts';
import { call } from '#api/call.ts';
import { toast } from '#ui/feedback/toast.ts';
import { refreshChannels } from '#screens/panel/channel/channel-cache.ts';
import { channelJobs as channelJobsQuery } from '#screens/panel/channel/channel-api.ts';
import { channelTexts } from '#screens/panel/channel/channel-texts.ts';

const lookEveryMs = 700;
/** Failed polls in a row after which the progress bar goes; the job continues. */
const mostFailedPolls = 5;
const shownNames = 3;

const watched = new Set<ChannelJobKind>();

/** Starts a job on the server and shows its progress on every page. */
export async function startJob(client: QueryClient, start: () => Promise<ChannelJob>): Promise<void> {
  try {
    watchJob(client, await start());
  } catch (error) {
    toast.error(channelTexts()('job.notStarted'), { detail: error instanceof Error ? error.message : String(error) });
  }
}

/** Shows the progress of a running job; once per job. */
export function watchJob(client: QueryClient, job: ChannelJob): void {
  if (job.state !== 'running' || watched.has(job.kind)) {
    if (job.state !== 'running') toastResult(job);
    return;
  }
  watched.add(job.kind);
  void follow(client, job).finally(() => watched.delete(job.kind));
}

async function follow(client: QueryClient, job: ChannelJob): Promise<void> {
  const { kind, total } = job;
  const bar = toast.progress(channelTexts()(`job.${kind}`), total, {
    label: i18n.translator('shared')('cancel'),
    // A failed cancel changes nothing: the bar continues with the next poll.
    onClick: () => void call(channelJobApi.cancel, { params: { kind } }).catch(() => undefined),
  });
  try {
    const last = await lastOf(client, job, bar.update);
    if (last) toastResult(last);
  } finally {
    bar.end();
    void refreshChannels(client);
    void client.invalidateQueries({ queryKey: channelJobsQuery.queryKey });
  }
}

/** Polls until the job ends; undefined when the server no longer answers. */
async function lastOf(
  client: QueryClient,
  job: ChannelJob,
  update: (progress: { done: number; total: number }) => void,
): Promise<ChannelJob | undefined> {
  let [failedPolls, done] = [0, job.done];
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
    try {
      // With a signal the call waits for the next sign-in, as queries do.
      const { signal } = new AbortController();
      const now = (await call(channelJobApi.list, { signal })).find(({ kind }) => kind === job.kind);
      if (!now || now.state !== 'running') return now;
      failedPolls = 0;
      update({ done: now.done, total: now.total });
      if (now.done > done) void refreshChannels(client);
      done = now.done;
    } catch (error) {
      failedPolls++;
      if (failedPolls >= mostFailedPolls || (error instanceof ApiError && error.status === 401)) return undefined;
    }
  }
}

function toastResult({
  kind,
  state,
  total,
  done,
  succeeded,
  failed,
  skipped,
  failures,
  skips,
  ...switched
}: ChannelJob): void {
  const t = channelTexts();
  const parts = [
    t(`job.${kind}Sum`, { succeeded, failed }),
    skipped > 0 ? t('job.skipped', { count: skipped }) : '',
    switched.switched_off > 0 ? t('job.switchedOff', { count: switched.switched_off }) : '',
    switched.switched_on > 0 ? t('job.switchedOn', { count: switched.switched_on }) : '',
    state === 'done' ? '' : t('job.cancelled', { done, total }),
  ];
  const said = parts.filter((part) => part !== '').join(t('job.comma'));
  const colon = t('job.colon');
  const rows = [
    ...failures.map(({ name, message }) => `${name}${colon}${message}`),
    ...skips.map(({ name, reason }) => `${name}${colon}${t(`job.why.${reason}`)}`),
  ];
  const detail = [...rows.slice(0, shownNames), ...(rows.length > shownNames ? ['…'] : [])].join('\n');
  toast[failed > 0 ? 'warning' : 'info'](said, detail === '' ? {} : { detail });
}
