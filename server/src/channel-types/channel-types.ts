import type { ChannelType } from '@relay-hub/contract';
import { splitList } from '@relay-hub/contract';
import type { Provider } from '#providers/provider.ts';
import { allProviders, findProvider } from '#providers/registry.ts';
import { chineseTypes } from './chinese-types.ts';
import type { DescribedType } from './described-type.ts';
import { generalTypes } from './general-types.ts';
import { mediaTypes } from './media-types.ts';

const described = new Map([...generalTypes, ...chineseTypes, ...mediaTypes].map((each) => [each.type, each]));

/** Types with OpenAI's former billing routes: gateways like this one. */
export const billingTypes: ReadonlySet<number> = new Set([1, 8]);

/** Marks of types without a provider, or with a provider of another name. */
const marks = new Map([
  ...named('azure', [24, 55]),
  ...named('vertexai', [42, 61]),
  ...named('hunyuan', [23, 40]),
  ...named('bedrock', [32, 62]),
  [8, 'compatible'],
  [11, 'palm'],
  [15, 'wenxin'],
  [17, 'alibaba'],
  [18, 'spark'],
  [19, 'ai360'],
  [33, 'yi'],
  [45, 'siliconcloud'],
  [56, 'grok'],
  [57, 'geminicli'],
  [58, 'claudecode'],
  [59, 'codex'],
  [60, 'antigravity'],
]);

/** All types, usable ones first, each group by name. */
export const channelTypes = (): ChannelType[] => typesWith(allProviders());

/** For tests: with other providers. */
export function typesWith(providers: readonly Provider[]): ChannelType[] {
  const byType = new Map(providers.map((provider) => [provider.type, provider]));
  return [...new Set([...described.keys(), ...byType.keys()])]
    .flatMap((type) => typeOf(type, byType.get(type)) ?? [])
    .toSorted((a, b) => Number(b.supported) - Number(a.supported) || (a.title < b.title ? -1 : 1));
}

export const findChannelType = (type: number): ChannelType | undefined => typeOf(type, findProvider(type));

function typeOf(type: number, provider: Provider | undefined): ChannelType | undefined {
  const facts = described.get(type) ?? (provider && { type, title: provider.title });
  return facts && merged(facts, provider);
}

/** If a provider exists, its form replaces the described one. */
function merged(facts: DescribedType, provider: Provider | undefined): ChannelType {
  const baseUrl = provider?.baseUrl || (facts.baseUrl ?? '');
  return {
    type: facts.type,
    title: provider?.title ?? facts.title,
    mark: marks.get(facts.type) ?? provider?.id.replaceAll('-', '') ?? '',
    supported: provider !== undefined,
    base_url: baseUrl,
    address: baseUrl === '' ? 'required' : 'optional',
    address_example: facts.addressExample ?? '',
    key: { forms: [['Key']], json: false, any: false },
    other: null,
    maps_models: facts.mapsModels ?? true,
    test_model: provider?.testModel || (facts.testModel ?? ''),
    testable: facts.testable ?? true,
    lists_models: provider?.models !== undefined,
    tells_balance: provider !== undefined && (provider.balance !== undefined || billingTypes.has(facts.type)),
    website: provider?.website || (facts.website ?? ''),
    owner: facts.owner ?? facts.type,
    models: splitList(facts.models ?? ''),
    plugins: [],
    ...(provider ? provider.form : writtenForm(facts)),
  };
}

function named(mark: string, types: readonly number[]): [number, string][] {
  return types.map((type) => [type, mark]);
}

function writtenForm({ keyForms, keyIsJson, anyKey, other, plugins, address }: DescribedType): Partial<ChannelType> {
  return {
    key: { forms: keyForms ?? [['Key']], json: keyIsJson ?? false, any: anyKey ?? false },
    other: other ? { fallback: '', required: false, example: '', ...other } : null,
    plugins: plugins ?? [],
    ...(address && { address }),
  };
}
