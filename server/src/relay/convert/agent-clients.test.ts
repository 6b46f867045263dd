import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { addAgentChannels, agentPrice } from '#testing/agents/agent-hub.ts';
import * as clients from '#testing/agents/agent-clients.ts';
import {
  type AgentVendor,
  agentVendors,
  type AgentVendors,
  startAgentVendors,
  vendorNames,
} from '#testing/agents/agent-vendors.ts';
import { aiSdkClients } from '#testing/agents/ai-sdk-clients.ts';
import { expectBooksBalance } from '#testing/books.ts';
import { addCaller, rowsOf, type TestCaller } from '#testing/callers.ts';
import { newSqlite } from '#testing/databases.ts';
import { hubForSuite } from '#testing/hub.ts';

/** Calls of each client to the vendor for three turns: two calls for the first answer, one for the last. */
const agents: Record<string, clients.AgentClient> = {
  'openai, Chat Completions with runTools': clients.openAiChat,
  'openai, Responses with previous_response_id': clients.openAiResponses,
  'openai, Responses with previous_response_id, streamed': clients.openAiResponsesStreamed,
  'openai, Responses without state': clients.openAiResponsesStateless,
  '@anthropic-ai/sdk with toolRunner': clients.anthropicRunner,
  '@anthropic-ai/sdk with toolRunner, streamed': clients.anthropicRunnerStreamed,
  '@anthropic-ai/sdk with a thread': clients.anthropicThread,
  '@anthropic-ai/sdk with thinking, streamed': clients.anthropicThinking,
  '@google/genai with automatic function calling': clients.geminiAutomatic,
  '@google/genai, a chat, streamed': clients.geminiStreamed,
  ...aiSdkClients,
  'LangChain, Chat Completions': clients.langChainChat,
  'LangChain, Chat Completions, streamed': clients.langChainChatStreamed,
  'LangChain, Responses': clients.langChainResponses,
  'LangChain, Responses, streamed': clients.langChainResponsesStreamed,
};
/** These need one more call, by the agent that hands over. */
const teams: Record<string, clients.AgentClient> = {
  '@openai/agents, Responses': clients.agentsResponses,
  '@openai/agents, Responses with previousResponseId': clients.agentsPrevious,
  '@openai/agents, Chat Completions': clients.agentsChat,
};

/** Part of the input's price that a cached token costs, by how the vendor counts it. */
const cachedRatio = (vendor: AgentVendor): number => (vendor === 'anthropic' ? 0.1 : 0.5);

describe('clients of agents, against vendors that forgive nothing', () => {
  const hub = hubForSuite(newSqlite);
  const db = () => hub().server.deps.db;
  let vendors: AgentVendors;
  let who: TestCaller;

  beforeAll(async () => {
    vendors = await startAgentVendors();
    await addAgentChannels(hub(), vendors);
  });
  afterAll(() => Object.values(vendors ?? {}).forEach((vendor) => vendor.close()));
  beforeEach(async () => {
    // $0.50: agents name limits that cost more.
    who = await addCaller(db(), { quota: 250_000 });
    for (const vendor of Object.values(vendors)) vendor.calls.length = 0;
  });

  async function expectThreeTurns(client: clients.AgentClient, vendor: AgentVendor, calls: number): Promise<void> {
    const said = await client({ url: hub().url, key: who.key, model: agentVendors[vendor].model });
    for (const proof of clients.proofs.looked) expect(said.looked).toContain(proof);
    for (const proof of clients.proofs.recalled) expect(said.recalled).toContain(proof);
    const answered = vendors[vendor].calls.filter(({ usage }) => usage !== undefined);
    expect(answered).toHaveLength(calls);
    const rows = (await rowsOf(db(), who)).filter(({ failed }) => !failed);
    expect(rows.map(({ quota }) => quota)).toEqual(
      answered.map(({ usage }) => {
        const { prompt, cached, completion } = usage!; // filtered above
        const input = (prompt - cached) * agentPrice.input + cached * agentPrice.input * cachedRatio(vendor);
        return Math.ceil(Number((input + completion * agentPrice.output).toFixed(6)));
      }),
    );
  }

  describe.each(vendorNames)('on a channel of %s', (vendor) => {
    test.each(Object.entries(agents))('%s: three turns, each charged as the vendor counted', (_, client) =>
      expectThreeTurns(client, vendor, 3),
    );
    test.each(Object.entries(teams))('%s: a handoff and three turns, charged as the vendor counted', (_, client) =>
      expectThreeTurns(client, vendor, 4),
    );
  });

  test('all of this leaves the books balanced', () => expectBooksBalance(db()));
});
