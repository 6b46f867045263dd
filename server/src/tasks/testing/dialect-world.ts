import { priceApi } from '@relay-hub/contract';
import OpenAI from 'openai';
import { beforeAll } from 'vitest';
import { type TestCaller, userOf } from '#testing/callers.ts';
import type { MakeDatabase } from '#testing/databases.ts';
import { addChannel } from '#testing/hub.ts';
import { post } from '#testing/relay-calls.ts';
import { taskWorld } from './task-world.ts';

/** Credits for a second of `sora-2`. */
export const SECOND = 50_000;
export const START = 10_000_000;

interface Answer {
  status: number;
  json: Record<string, unknown>;
  headers: Headers;
}

/** The world of tasks with a channel at a gateway for videos. */
export function videoWorld(make: MakeDatabase) {
  const world = taskWorld(make);
  const { hub, upstream, deps } = world;
  beforeAll(async () => {
    await addChannel(hub(), upstream().url, {
      key: 'video-key',
      models: 'sora-2,kling-v1-6,kling-video_kling-v2-6_pro_10,kling-3.0,veo-3,omni,jimeng_t2v_v30,unpriced-video',
    });
    const add = (model: string, input: number) =>
      hub().root.call(priceApi.create, { body: { model, type: 'times', channel_type: 1, input, output: 0 } });
    await add('sora-2_second', SECOND / 1000);
    await add('kling-video_kling-v2-6_pro_10', 300);
    for (const model of ['kling-v1-6', 'kling-3.0', 'veo-3', 'omni', 'jimeng_t2v_v30']) await add(model, 100);
  });

  const send = async (
    who: TestCaller,
    path: string,
    {
      body,
      method = body === undefined ? 'GET' : 'POST',
      headers,
    }: { body?: unknown; method?: string; headers?: Record<string, string> } = {},
  ): Promise<Answer> => {
    const answer = await post(hub(), who.key, body, path, { method, ...(headers && { headers }) });
    return { status: answer.status, headers: answer.headers, json: JSON.parse(answer.text) as Answer['json'] };
  };
  const spent = async (who: TestCaller) => START - (await userOf(deps().db, who)).balance;
  const client = (who: TestCaller) => new OpenAI({ apiKey: who.key, baseURL: `${hub().url}/v1`, maxRetries: 0 });
  return { ...world, send, spent, client, service: () => upstream().videos };
}
