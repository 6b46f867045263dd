import { explainCharge, noUsage, priceInput } from '@relay-hub/contract';
import { expect, test } from 'vitest';
import { PriceBook } from '#live/price-book.ts';
import rows from '#prices/built-in-prices.json' with { type: 'json' };
import { videoOrder } from '../testing/task-orders.ts';
import type { TaskOperation } from '../task-operation.ts';
import type { VideoOrder } from '../video-order.ts';
import { arkTasks } from './ark-video.ts';
import { dashScopeTasks } from './dashscope-video.ts';
import { klingLegacyTasks } from './kling-legacy.ts';
import { klingTasks } from './kling.ts';
import { miniMaxV2Tasks } from './minimax-videos.ts';
import { viduTasks } from '#providers/adapters/vidu.ts';

const times = rows.map((row) => priceInput.parse(row)).filter(({ type }) => type === 'times');
const book = new PriceBook(
  times.map(({ rules = [], fees = [], ...row }) => ({ ...row, rules, fees, version: 1, extra_ratios: {} })),
  undefined,
);

/** Undefined: there is no price. */
function dollarsFor(operation: TaskOperation, model: string, video: Partial<VideoOrder>): number | undefined {
  const { prices, seconds = 1 } = operation.quote!(videoOrder(video), model); // every vendor of videos has it
  const found = prices.find(({ name }) => book.exact(name));
  const price = book.exact(found?.name ?? model);
  if (!price) return undefined;
  const units = found?.perSecond ? seconds : 1;
  return explainCharge(price, 1, { ...noUsage, units }).credits / 500_000;
}

// Units of Kling are $0.14; all others are list prices per second.
test.each<[TaskOperation, string, Partial<VideoOrder>, number | undefined]>([
  [klingTasks, 'kling-3.0', {}, 0.42],
  [klingTasks, 'kling-3.0', { resolution: '1080p', audio: true, seconds: 10 }, 1.68],
  [klingTasks, 'kling-3.0', { resolution: '4k', seconds: 3 }, 1.26],
  [klingTasks, 'kling-3.0-omni', { audio: true }, 0.56],
  [klingTasks, 'kling-3.0-turbo', { resolution: '1080p', seconds: 15 }, 2.1],
  [klingTasks, 'kling-o1', { quality: 'pro' }, 0.56],
  [klingTasks, 'kling-2.6', {}, 0.21],
  [klingTasks, 'kling-2.6', { audio: true }, undefined],
  [klingLegacyTasks, 'kling-v3', { quality: 'pro', audio: true, seconds: 10 }, 1.68],
  [klingLegacyTasks, 'kling-v3', { seconds: 7 }, 0.588],
  [klingLegacyTasks, 'kling-video_kling-v2-5-turbo_std_10', {}, 0.42],
  [klingLegacyTasks, 'kling-v2-6', { quality: 'pro' }, 0.35],
  [klingLegacyTasks, 'kling-v2-6', { audio: true }, undefined],
  [miniMaxV2Tasks, 'MiniMax-H3', {}, 0.4],
  [miniMaxV2Tasks, 'MiniMax-H3', { resolution: '2k', seconds: 15 }, 1.95],
  [miniMaxV2Tasks, 'MiniMax-H3-Max', { resolution: '480p', seconds: 4 }, 0.2],
  [dashScopeTasks, 'wan2.7-t2v', { resolution: '1080p', seconds: 10 }, 1.5],
  [dashScopeTasks, 'wan2.7-t2v', { resolution: '480p' }, undefined],
  [arkTasks, 'doubao-seedance-2-0-260128', { resolution: '1080p' }, 1.77],
  [arkTasks, 'doubao-seedance-2-0-260128', { resolution: '4k', audio: true }, 3.61],
  [arkTasks, 'doubao-seedance-2-5-261001', { resolution: '1080p', seconds: 4 }, 2.14],
  [arkTasks, 'doubao-seedance-2-0-fast-260128', {}, undefined],
  [viduTasks, 'viduq2', {}, undefined],
])('%#: $%4$d for %s', (operation, model, video, dollars) => {
  expect(dollarsFor(operation, model, video)).toBe(dollars);
});

test('an off-peak price of Vidu is looked for before the usual one', () => {
  const order = videoOrder({ extra: { off_peak: true }, seconds: 8 });
  const names = viduTasks.quote?.(order, 'viduq2').prices.map(({ name }) => name);
  expect(names?.slice(0, 2)).toEqual(['viduq2_off_peak_720p_8', 'viduq2_off_peak_720p_second']);
  expect(names).toContain('viduq2_720p_second');
});
