import { channelApi, channelJobApi, type Channel, type ChannelScope, type ChannelTest } from '@relay-hub/contract';
import type { QueryClient } from '@tanstack/react-query';
import { call } from '#api/call.ts';
import { toast } from '#ui/feedback/toast.ts';
import { patchChannel, refreshChannels } from '#screens/panel/channel/channel-cache.ts';
import { startJob } from './channel-jobs.ts';
import { balanceText, channelToTest, latencyText, markTesting, quoted } from './channel-test-state.ts';
import { channelTexts } from '#screens/panel/channel/channel-texts.ts';

/**
 * Sends one minimal request through a channel and updates lists with the result. Without a model, the server takes the
 * channel's test model or chooses one.
 */
export async function testChannel(client: QueryClient, channel: Channel, model = ''): Promise<ChannelTest> {
  markTesting(channel.id, true);
  try {
    const result = await call(channelApi.test, { params: { id: channel.id }, query: { model } });
    patchChannel(client, channel.id, {
      response_time: result.ms,
      test_time: Math.floor(Date.now() / 1000),
      last_error: '',
      frozen_until: 0,
      trouble: null,
    });
    return result;
  } finally {
    markTesting(channel.id, false);
    void refreshChannels(client);
  }
}

/** Tests a channel with its test model and shows the result in a toast; without one, opens the choice of models. */
export async function testWithToast(client: QueryClient, channel: Channel): Promise<void> {
  if (channel.test_model === '') return channelToTest.set(channel);
  const t = channelTexts();
  try {
    const { model, ms, answer } = await testChannel(client, channel);
    toast.info(t('test.answered', { name: channel.name, model, time: latencyText(ms) }), { detail: quoted(answer) });
  } catch (error) {
    toast.error(t('test.failed', { name: channel.name }), {
      detail: error instanceof Error ? error.message : String(error),
    });
  }
}

/** Tests channels on the server with a progress toast; a single one is tested directly. */
export async function testMany(
  client: QueryClient,
  channels: readonly Channel[],
  scope: ChannelScope = { ids: channels.map(({ id }) => id) },
): Promise<void> {
  const [only] = channels;
  if (only && channels.length === 1) return testWithToast(client, only);
  await startJob(client, () => call(channelJobApi.testSome, { body: { scope } }));
}

export const testAll = (client: QueryClient): Promise<void> => startJob(client, () => call(channelJobApi.testAll));

export const updateBalances = (client: QueryClient): Promise<void> =>
  startJob(client, () => call(channelJobApi.updateBalances));

/** Fetches a channel's account balance and shows it. */
export async function updateBalance(client: QueryClient, { id, name }: Channel): Promise<void> {
  const t = channelTexts();
  try {
    const balance = await call(channelJobApi.updateBalance, { params: { id } });
    patchChannel(client, id, { ...balance, balance_updated_time: Math.floor(Date.now() / 1000) });
    toast.info(t('balance.told', { name, amount: balanceText(balance) }));
  } catch (error) {
    toast.error(t('balance.failed', { name }), { detail: error instanceof Error ? error.message : String(error) });
  }
  void refreshChannels(client);
}

/** Unfreezes a channel, so that it gets calls again. */
export const unfreeze = (client: QueryClient, channel: Channel): Promise<void> =>
  forget(client, channel, 'unfreeze.done');

/** Sends calls to the Responses API of a channel again. */
export const askForResponses = (client: QueryClient, channel: Channel): Promise<void> =>
  forget(client, channel, 'withoutResponses.done');

/** Forgets failures of a channel. */
async function forget(
  client: QueryClient,
  { id, name }: Channel,
  done: 'unfreeze.done' | 'withoutResponses.done',
): Promise<void> {
  const t = channelTexts();
  try {
    patchChannel(client, id, await call(channelApi.unfreeze, { params: { id } }));
    toast.success(t(done, { name }));
  } catch (error) {
    toast.error(t('change.failed'), { detail: error instanceof Error ? error.message : String(error) });
  }
  void refreshChannels(client);
}
