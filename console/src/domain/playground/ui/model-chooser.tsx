import { analyticsApi } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { Plus, X } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { apiQuery } from '#api/api-query.ts';
import { useOwners } from '#api/owners.ts';
import { useSite } from '#api/site.ts';
import { statusQuery } from '#api/status-page.ts';
import { ContextLength } from '#domain/model/context-length.tsx';
import { ModelStatus } from '#domain/model/model-status.tsx';
import { OwnerTile } from '#domain/model/owner-tile.tsx';
import { Button, IconButton } from '#ui/basic/button.tsx';
import { Chip } from '#ui/basic/chip.tsx';
import { fewCalls, formatQuantile } from '#ui/format/number.ts';
import { localTimeZone } from '#ui/format/local-time-zone.ts';
import { Select, type SelectOption } from '#ui/form/select.tsx';
import { MOST_MODELS } from '#domain/playground/playground-types.ts';
import { changeSettings, useSettings } from '#domain/playground/store/playground-store.ts';
import type { PlaygroundModel } from '#domain/playground/use-playground-models.ts';

/** The options of a model picker, with the price of each. */
export function useModelOptions(models: readonly PlaygroundModel[]): SelectOption<string>[] {
  const owners = useOwners();
  return models.map(({ name, owner, price }) => ({
    value: name,
    label: name,
    tile: <OwnerTile name={owner || name} icon={owners.find((each) => each.name === owner)?.icon} size={20} />,
    note: price.type === 'times' ? (price.call ?? '') : `${price.input ?? '0'} / ${price.output ?? '0'}`,
  }));
}

/** One to four models, each with its price and abilities. */
export function ModelChooser({ models }: { models: readonly PlaygroundModel[] }) {
  const { t } = useTranslation('playground');
  const { models: chosen } = useSettings();
  const options = useModelOptions(models);
  const others = models.filter(({ name }) => !chosen.includes(name));
  const replace = (at: number, name: string | undefined) =>
    changeSettings({ models: chosen.flatMap((each, index) => (index === at ? (name ?? []) : each)) });
  return (
    <div className="flex flex-col gap-3">
      {chosen.map((name, at) => (
        <div key={`${at} ${name}`}>
          <div className="flex items-center gap-1">
            <Select
              searchable
              aria={{ 'aria-label': chosen.length > 1 ? t('modelNumber', { number: at + 1 }) : t('model') }}
              value={name}
              options={options.filter(({ value }) => value === name || !chosen.includes(value))}
              onChange={(next) => replace(at, next)}
            />
            {chosen.length > 1 && (
              <IconButton label={t('removeModel', { name })} icon={X} onClick={() => replace(at, undefined)} />
            )}
          </div>
          {models.map((model) => model.name === name && <ModelFacts key={name} model={model} />)}
        </div>
      ))}
      {chosen.length < MOST_MODELS && others.length > 0 && (
        <Button
          size="sm"
          icon={Plus}
          className="self-start"
          onClick={() => changeSettings({ models: [...chosen, others[0]?.name ?? ''] })}
        >
          {t('addModel')}
        </Button>
      )}
    </div>
  );
}

const ownSpeeds = () => ({
  ...apiQuery(analyticsApi.ownQuality, { query: { days: 7, by: 'model', time_zone: localTimeZone() } }),
  staleTime: 300_000,
  meta: { quiet: true },
});

/** Median milliseconds to the first token: of all calls where the status page has them, else of the own calls of a week. */
function useFirstToken(model: string): number | undefined {
  const isPublic = useSite()?.status_page === true;
  const status = useQuery({ ...statusQuery, enabled: isPublic });
  const all = status.data?.models.find(({ name }) => name === model);
  const known = all?.recent.first_token ?? all?.total.first_token;
  const own = useQuery({ ...ownSpeeds(), enabled: known === undefined && (!isPublic || status.isFetched) });
  const mine = own.data?.groups.find(({ id }) => id === model)?.first_token;
  return known ?? (mine && mine.calls >= fewCalls ? (mine.p50 ?? undefined) : undefined);
}

/** Price, context length and time to the first token of a model, and its abilities. */
function ModelFacts({ model: { name, price, context, hints } }: { model: PlaygroundModel }) {
  const { t } = useTranslation('playground');
  const firstToken = useFirstToken(name);
  return (
    <div className="mt-1.5 flex flex-wrap items-center gap-x-1.5 gap-y-1 text-12 text-text2">
      <span className="tabular-nums">
        {price.type === 'times'
          ? t('pricePerCall', { price: price.call ?? t('free') })
          : t('pricePerTokens', { input: price.input ?? t('free'), output: price.output ?? t('free') })}
      </span>
      <ModelStatus model={name} />
      {/* On a line below the price. */}
      <span className="flex w-full flex-wrap gap-x-3 gap-y-1 empty:hidden">
        {context !== undefined && <ContextLength tokens={context} />}
        {firstToken !== undefined && (
          <span className="tabular-nums">{t('firstTokenIn', { time: formatQuantile(firstToken) })}</span>
        )}
      </span>
      {hints.vision && <Chip>{t('vision')}</Chip>}
      {hints.reasoning && <Chip>{t('reasoning')}</Chip>}
    </div>
  );
}
