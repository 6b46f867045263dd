import type { Self } from '@relay-hub/contract';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useSelf } from '#api/self.ts';
import { Card } from '#shared/card.tsx';
import { ErrorState } from '#shared/error-state.tsx';
import { Money } from '#shared/money.tsx';
import { formatWhole } from '#shared/number.ts';
import { PageHeader } from '#shared/page-header.tsx';
import { Skeleton } from '#shared/skeleton.tsx';

export function DashboardScreen() {
  const { t } = useTranslation('dashboard');
  const { data, error, isFetching, refetch } = useSelf();
  return (
    <>
      <PageHeader title={t('title')} />
      {error && !data ? (
        <ErrorState text={error.message} busy={isFetching} onRetry={() => void refetch()} />
      ) : (
        <AccountNumbers self={data} />
      )}
    </>
  );
}

function AccountNumbers({ self }: { self: Self | undefined }) {
  const { t } = useTranslation('dashboard');
  return (
    <div className="grid gap-4 max-sm:gap-2 sm:grid-cols-3">
      <Fact name={t('balance')}>{self && <Money credits={self.quota} />}</Fact>
      <Fact name={t('used')}>{self && <Money credits={self.used_quota} />}</Fact>
      <Fact name={t('calls')}>{self && formatWhole(self.request_count)}</Fact>
    </div>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Card className="p-4">
      <h2 className="text-13 font-normal text-text2">{name}</h2>
      <p className="mt-1 text-26 font-medium tracking-[-0.01em] tabular-nums">{children ?? <Skeleton width="50%" />}</p>
    </Card>
  );
}
