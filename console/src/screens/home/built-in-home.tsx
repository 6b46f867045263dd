import { useQuery } from '@tanstack/react-query';
import { cx } from '#ui/basic/cx.ts';
import { useTranslation } from '#i18n/use-translation.ts';
import { featured, modelsOf } from './available-models.ts';
import { CallDemo } from './call-demo.tsx';
import { HomeHero } from './home-hero.tsx';
import { availableQuery } from './home-queries.ts';
import { OwnerGrid } from './owner-grid.tsx';
import { PriceTeaser } from './price-teaser.tsx';

/** The home page unless the operator wrote one. */
export function BuiltInHome() {
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
