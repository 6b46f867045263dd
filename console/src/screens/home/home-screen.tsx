import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Link, useRouter } from '@tanstack/react-router';
import { ChevronRight } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useSiteName } from '#api/site.ts';
import { OperatorContent } from '#content/operator-content.tsx';
import { toast } from '#ui/feedback/toast.ts';
import { cx } from '#ui/basic/cx.ts';
import { useOwners } from '#api/owners.ts';
import { Icon } from '#ui/basic/icon.tsx';
import { OwnerTile } from '#domain/model/owner-tile.tsx';
import { availableQuery, homeQuery } from './home-queries.ts';
import { countByOwner, featured, type Model, modelsOf } from './available-models.ts';
import { CallDemo } from './call-demo.tsx';
import { HomeHero } from './home-hero.tsx';
import { PriceTeaser } from './price-teaser.tsx';

const cell = 'flex h-14 min-w-0 items-center gap-3 bg-card px-4 text-15';
const places = 12;

function OwnerGrid({ models }: { models: Model[] }) {
  const { t } = useTranslation('home');
  const icons = new Map(useOwners().map(({ name, icon }) => [name, icon]));
  const prices: string = '/price';
  const hasPrices = Object.hasOwn(useRouter().routesByPath, prices);
  const owners = countByOwner(models);
  const shown = owners.slice(0, hasPrices ? places - 1 : places);
  return (
    <section aria-labelledby="home-models" className="pb-12">
      <h2 id="home-models" className="mb-4 text-20">
        {t('models')}
      </h2>
      {models.length === 0 ? (
        <p className="rounded-card border border-line bg-card p-4 text-15 text-text2">{t('noModels')}</p>
      ) : (
        <ul className="grid grid-cols-4 gap-px overflow-hidden rounded-card border border-line bg-line max-lg:grid-cols-3 max-md:grid-cols-2 max-sm:grid-cols-1">
          {shown.map(({ owner, count }) => (
            <li key={owner} className={cell}>
              <OwnerTile name={owner} icon={icons.get(owner)} />
              <span className="flex-1 truncate">{owner || t('otherOwner')}</span>
              <span className="text-14 text-text3 tabular-nums" aria-label={t('ownerModels', { count })}>
                {count}
              </span>
            </li>
          ))}
          {hasPrices && (
            <li>
              <Link to={prices} className={`${cell} justify-between text-accent hover:bg-hover`}>
                {t('allModels', { count: models.length })}
                <Icon of={ChevronRight} />
              </Link>
            </li>
          )}
          <li aria-hidden className="bg-card last:-mr-[100vw] last:grow" />
        </ul>
      )}
    </section>
  );
}

export function HomeScreen() {
  const { t } = useTranslation('home');
  const { data, isPending, isError } = useQuery(homeQuery);
  const title = useSiteName();
  useEffect(() => {
    if (isError) toast.error(t('failed'));
  }, [isError, t]);
  if (data)
    return (
      <div className="flex flex-1 flex-col py-8">
        <h1 className="sr-only">{title}</h1>
        <OperatorContent content={data} title={title} />
      </div>
    );
  // On a first visit the built-in page must not flash before the operator's own, nor the footer move.
  return isPending ? <div className="min-h-screen" /> : <BuiltInHome />;
}

/** The home page unless the operator wrote one. */
function BuiltInHome() {
  const { data, isPending } = useQuery(availableQuery);
  const models = modelsOf(data);
  const shown = featured(models);
  const [example] = shown;
  return (
    <>
      <HomeHero count={models.length} model={example?.name} />
      {example && <CallDemo model={example} />}
      {data && <OwnerGrid models={models} />}
      {/* Keeps the content below the models off-screen while they load, so that it does not shift visibly. */}
      {isPending && <div className="min-h-screen" />}
      <div className={example && 'grid gap-x-4 lg:grid-cols-[minmax(0,1fr)_420px]'}>
        {example && <PriceTeaser models={shown} />}
        <Promises beside={example !== undefined} />
      </div>
    </>
  );
}

/** In a separate row, or in a column next to the prices. */
function Promises({ beside }: { beside: boolean }) {
  const { t } = useTranslation('home');
  return (
    <section
      className={cx(
        'grid gap-8 pb-14 md:max-lg:grid-cols-3',
        beside ? 'lg:pl-5' : 'border-t border-line pt-7 lg:grid-cols-3',
      )}
    >
      {(['charge', 'failure', 'stream'] as const).map((promise) => (
        <div key={promise}>
          <h2 className="mb-1 text-16">{t(`promises.${promise}Title`)}</h2>
          <p className="text-15 text-text2">{t(`promises.${promise}`)}</p>
        </div>
      ))}
    </section>
  );
}
