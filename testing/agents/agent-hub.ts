import { priceApi } from '@relay-hub/contract';
import { addChannel, type TestHub } from '#testing/hub.ts';
import { agentVendors, type AgentVendors, vendorNames } from './agent-vendors.ts';

/** Credits per token of every simulated model. */
export const agentPrice = { input: 1, output: 2 };

/** Adds a channel for each simulated vendor, with a price for its model. */
export async function addAgentChannels(hub: TestHub, vendors: AgentVendors): Promise<void> {
  const { db, live } = hub.server.deps;
  // Codex offers a search in each call, and these prices have no fees.
  await db.insertInto('options').values({ key: 'UnpricedTools', value: 'remove' }).execute();
  await live.changed('settings');
  for (const name of vendorNames) {
    const { type, model } = agentVendors[name];
    await addChannel(hub, vendors[name].url, { type, name, models: model });
    // The built-in price, where there is one.
    await hub.root.try(priceApi.remove, { params: { model } });
    await hub.root.call(priceApi.create, { body: { model, type: 'tokens', channel_type: 1, ...agentPrice } });
  }
}
