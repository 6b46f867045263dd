import { Link, useRouter } from '@tanstack/react-router';
import { ChevronRight } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useOwners } from '#api/owners.ts';
import { Icon } from '#ui/basic/icon.tsx';
import { OwnerTile } from '#domain/model/owner-tile.tsx';
import { countByOwner, type Model } from './available-models.ts';

const cell = 'flex h-14 min-w-0 items-center gap-3 bg-card px-4 text-15';
const places = 12;

export function OwnerGrid({ models }: { models: Model[] }) {
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
