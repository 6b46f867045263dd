import type { LiveChannel } from '#live/routing-table.ts';

/** Whether a channel keeps objects of OpenAI's API. */
export const isOpenAi = ({ provider }: LiveChannel): boolean =>
  provider.raw !== undefined && !provider.sign && provider.id === 'openai';

/** Whether a channel keeps objects of Anthropic's API. */
export const isAnthropic = ({ provider }: LiveChannel): boolean =>
  provider.raw !== undefined && !provider.sign && provider.id === 'anthropic';
