import { newApi, type ReplyOf } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '#deps.ts';
import { availableModels } from '#features/price/available-models.ts';
import { checkHolder, revealKey, revealKeys } from '#features/token/token-queries.ts';
import { bareData, serve } from '#http/serve.ts';

type Pricing = ReplyOf<(typeof newApi)['pricing']>['data'][number];
type Available = ReturnType<typeof availableModels>;

/** Dollars of a price of 1: per 1,000 tokens, and per call. */
const UNIT_DOLLARS = 0.002;

/** Routes of new-api, so that its tools work here. Facts: new-api 0.13, `controller/token.go`, `controller/pricing.go`. */
export function newApiRoutes(app: FastifyInstance, deps: Deps): void {
  const { db, secrets, live } = deps;
  const groupsOf = (own: string | undefined) =>
    [...live.groups.values()].filter((group) => group.public || group.symbol === own);

  serve(app, deps, newApi.tokenKey, async ({ params }, { viewer }) => {
    await checkHolder(db, viewer, params.id, 'key');
    return { key: bare(await revealKey(db, secrets, viewer.id, params.id)) };
  });
  serve(app, deps, newApi.tokenKeys, async ({ body }, { viewer }) => {
    const keys = await revealKeys(db, secrets, viewer, body.ids);
    return { keys: Object.fromEntries([...keys].map(([id, key]) => [id, bare(key)])) };
  });
  serve(app, deps, newApi.models, async ({ query }, { viewer }) =>
    Object.entries(availableModels(live, viewer.group))
      .filter(([, { groups }]) => query.group === '' || groups.includes(query.group))
      .map(([model]) => model)
      .toSorted(),
  );
  serve(app, deps, newApi.groups, async (_, { viewer }) =>
    Object.fromEntries(groupsOf(viewer.group).map(({ symbol, ratio, name }) => [symbol, { ratio, desc: name }])),
  );
  serve(app, deps, newApi.pricing, async (_, { viewer, reply }) => {
    bareData(reply);
    const groups = groupsOf(viewer?.group);
    return {
      success: true as const,
      message: '' as const,
      data: pricesOf(availableModels(live, viewer?.group)),
      vendors: [...live.owners].map(([id, name]) => ({ id, name })),
      group_ratio: Object.fromEntries(groups.map(({ symbol, ratio }) => [symbol, ratio])),
      usable_group: Object.fromEntries(groups.map(({ symbol, name }) => [symbol, name])),
      supported_endpoint: { openai: { path: '/v1/chat/completions', method: 'POST' } },
      auto_groups: [],
    };
  });
  serve(app, deps, newApi.ratios, async () => {
    const prices = pricesOf(availableModels(live, undefined));
    const table = (of: (price: Pricing) => number | undefined) =>
      Object.fromEntries(
        prices.flatMap((price) => {
          const value = of(price);
          return value === undefined ? [] : [[price.model_name, value] as const];
        }),
      );
    const ofTokens = (of: (price: Pricing) => number | undefined) =>
      table((price) => (price.quota_type === 0 ? of(price) : undefined));
    return {
      model_ratio: ofTokens((price) => price.model_ratio),
      completion_ratio: ofTokens((price) => price.completion_ratio),
      cache_ratio: ofTokens((price) => price.cache_ratio),
      create_cache_ratio: ofTokens((price) => price.create_cache_ratio),
      model_price: table((price) => (price.quota_type === 1 ? price.model_price : undefined)),
    };
  });
}

const bare = (key: string): string => key.replace(/^sk-/, '');

const pricesOf = (available: Available): Pricing[] =>
  Object.entries(available).map(([model_name, { groups, owned_by, price }]) => {
    const { type, input, output, extra_ratios: extra = {}, rules, fees } = price;
    const perCall = type === 'times';
    return {
      model_name,
      owner_by: owned_by,
      quota_type: perCall ? 1 : 0,
      model_ratio: perCall ? 0 : input,
      model_price: perCall ? input * UNIT_DOLLARS : 0,
      completion_ratio: perCall || input === 0 ? 1 : output / input,
      cache_ratio: extra.cached_tokens_ratio ?? extra.cached_read_ratio,
      create_cache_ratio: extra.cached_write_ratio,
      image_ratio: extra.input_image_tokens_ratio,
      audio_ratio: extra.input_audio_tokens_ratio,
      audio_completion_ratio: extra.output_audio_tokens_ratio,
      enable_groups: groups,
      supported_endpoint_types: ['openai'],
      has_rules: (rules?.length ?? 0) > 0 || (fees?.length ?? 0) > 0,
    };
  });
