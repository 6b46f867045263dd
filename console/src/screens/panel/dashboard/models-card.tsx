import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Box, Copy, Plus } from 'lucide-react';
import { lazy, Suspense, useRef, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useOwners } from '#api/owners.ts';
import { useSession } from '#api/session.ts';
import { Badge } from '#ui/basic/badge.tsx';
import { Button } from '#ui/basic/button.tsx';
import { Card, CardHead } from '#ui/basic/card.tsx';
import { copyText } from '#ui/format/clipboard.ts';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { OwnerTile } from '#domain/model/owner-tile.tsx';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { availableQuery } from './dashboard-api.ts';
import { byOwner, type OwnedModels } from './models.ts';

const loadMenu = () => import('#ui/overlay/menu.tsx');
const Menu = lazy(async () => ({ default: (await loadMenu()).Menu }));

const places = 8;

/** The models available to the user, by owner. */
export function ModelsCard() {
  const { t } = useTranslation('dashboard');
  const { isAdmin } = useSession();
  const { data, error, isFetching, refetch } = useQuery(availableQuery);
  const count = data && Object.keys(data).length;
  return (
    <Card aria-labelledby="dashboard-models" className="flex min-w-0 flex-col lg:min-h-68">
      <CardHead
        id="dashboard-models"
        title={t('models')}
        aside={count !== undefined && count > 0 && <Badge>{count}</Badge>}
      >
        <Link to="/panel/model_price" className="touch text-13 text-accent hover:underline">
          {t('viewPrices')}
        </Link>
      </CardHead>
      {count === 0 ? (
        <EmptyState
          icon={Box}
          title={t('noModels')}
          text={t(isAdmin ? 'noModelsAdmin' : 'noModelsText')}
          action={
            isAdmin && (
              <Button icon={Plus} render={<Link to="/panel/channel" search={{ edit: 'new' }} />}>
                {t('steps.channel.todo')}
              </Button>
            )
          }
        />
      ) : error && !data ? (
        <ErrorState text={error.message} busy={isFetching} onRetry={() => void refetch()} />
      ) : (
        <div className="px-2 pb-3">{data ? <Owners owners={byOwner(data)} /> : <Bones />}</div>
      )}
    </Card>
  );
}

const cell = 'grid grid-cols-2 gap-x-2';

function Owners({ owners }: { owners: OwnedModels[] }) {
  const { t } = useTranslation('dashboard');
  const [all, setAll] = useState(false);
  const rest = owners.slice(places);
  const icons = new Map(useOwners().map(({ name, icon }) => [name, icon]));
  return (
    <>
      <ul className={cell}>
        {(all ? owners : owners.slice(0, places)).map((owned) => (
          <li key={owned.owner} className="min-w-0">
            <Owner {...owned} icon={icons.get(owned.owner)} />
          </li>
        ))}
      </ul>
      {rest.length > 0 && (
        <Button variant="ghost" size="sm" className="mt-1" aria-expanded={all} onClick={() => setAll(!all)}>
          {all
            ? t('fewerOwners')
            : t('moreOwners', {
                owners: rest.length,
                models: rest.reduce((sum, { models }) => sum + models.length, 0),
              })}
        </Button>
      )}
    </>
  );
}

/** One owner; a press lists its models for copying. */
function Owner({ owner, models, icon }: OwnedModels & { icon: string | undefined }) {
  const { t } = useTranslation('dashboard');
  const [open, setOpen] = useState(false);
  const anchor = useRef<HTMLButtonElement>(null);
  const name = owner || t('otherOwner');
  return (
    <>
      <button
        ref={anchor}
        type="button"
        aria-haspopup="menu"
        aria-expanded={open}
        onPointerEnter={() => void loadMenu()}
        onFocus={() => void loadMenu()}
        onClick={() => setOpen((now) => !now)}
        className="flex h-8.5 w-full min-w-0 items-center gap-2 rounded-control px-2 text-left text-13 transition-colors hover:bg-hover aria-expanded:bg-hover max-sm:h-11"
      >
        <OwnerTile name={owner} icon={icon} size={20} />
        <span className="min-w-0 flex-1 truncate">{name}</span>
        <span className="text-text2 tabular-nums">{models.length}</span>
      </button>
      {open && (
        <Suspense>
          <Menu
            label={t('modelsOf', { name })}
            anchor={anchor}
            align="start"
            entries={() =>
              models.map((model) => ({ label: model, icon: Copy, onSelect: () => void copyText(model, model) }))
            }
            onClose={() => setOpen(false)}
          />
        </Suspense>
      )}
    </>
  );
}

function Bones() {
  return (
    <div className={cell}>
      {Array.from({ length: places }, (_, index) => (
        <div key={index} className="flex h-8.5 items-center px-2 max-sm:h-11">
          <Skeleton width={index % 2 ? '50%' : '64%'} />
        </div>
      ))}
    </div>
  );
}
