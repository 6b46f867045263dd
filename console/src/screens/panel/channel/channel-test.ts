import { channelApi, type Channel, type ChannelTest } from '@relay-hub/contract';
import type { QueryClient } from '@tanstack/react-query';
import { ApiError } from '#api/api-error.ts';
import { call } from '#api/call.ts';
import { createStore, useStore } from '#api/store.ts';
import { formatSeconds } from '#shared/number.ts';
import { oneByOne } from '#shared/one-by-one.ts';
import { toast } from '#shared/toast.ts';
import { patchChannel, refreshChannels } from './channel-api.ts';
import { modelToTest } from './channel-models.ts';
import { channelWords } from './channel-words.ts';

const running = createStore<ReadonlySet<number>>(new Set());

/** Whether a test of the channel is under way, from wherever it was started. */
export const useIsTesting = (id: number): boolean => useStore(running).has(id);

const mark = (id: number, on: boolean) => {
  const next = new Set(running.get());
  if (on) next.add(id);
  else next.delete(id);
  running.set(next);
};

/** Sends one smallest request through a channel; lists show what came of it. Without a model the channel's own is used. */
export async function testChannel(
  client: QueryClient,
  channel: Channel,
  model = modelToTest(channel),
): Promise<ChannelTest> {
  if (model === undefined)
    throw new ApiError({ status: 400, message: channelWords()('test.noModel'), field: 'test_model' });
  mark(channel.id, true);
  try {
    const result = await call(channelApi.test, { params: { id: channel.id }, query: { model } });
    patchChannel(client, channel.id, {
      response_time: result.ms,
      test_time: Math.floor(Date.now() / 1000),
      last_error: '',
    });
    return result;
  } finally {
    mark(channel.id, false);
    void refreshChannels(client);
  }
}

/** As `testChannel`, and tells the result in a toast. */
export async function testAndTell(client: QueryClient, channel: Channel): Promise<void> {
  const t = channelWords();
  try {
    const { model, ms, answer } = await testChannel(client, channel);
    toast.info(t('test.answered', { name: channel.name, model, time: latencyText(ms) }), { detail: quoted(answer) });
  } catch (error) {
    toast.error(t('test.failed', { name: channel.name }), {
      detail: error instanceof Error ? error.message : String(error),
    });
  }
}

/** How long an answer took; the quickest in milliseconds, as they would all be 0.00 s. */
export const latencyText = (ms: number): string => (ms < 100 ? `${ms} ms` : formatSeconds(ms));

/** What the model said, in quotation marks; undefined for models that answer with numbers. */
export const quoted = (answer: string): string | undefined => (answer.trim() === '' ? undefined : `“${answer.trim()}”`);

/** Tests channels one after another under a progress toast, and sums up. */
export async function testMany(client: QueryClient, channels: readonly Channel[]): Promise<void> {
  const [only] = channels;
  if (only && channels.length === 1) return testAndTell(client, only);
  const t = channelWords();
  const { done, failed } = await oneByOne(t('test.many'), channels, (channel) => testChannel(client, channel));
  const sum = t('test.sum', { answered: done.length, failed: failed.length });
  if (failed.length === 0) toast.info(sum);
  else toast.warning(sum, { detail: failed.map(({ item }) => item.name).join(', ') });
}
