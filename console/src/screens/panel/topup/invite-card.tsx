import { type Invitations as Counts, registerApi } from '@relay-hub/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link as LinkIcon, QrCode, Share2 } from 'lucide-react';
import { lazy, Suspense, useId, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { call } from '#api/call.ts';
import { refresh } from '#api/api-query.ts';
import { hubAddress, useSite } from '#api/site.ts';
import { Button } from '#ui/basic/button.tsx';
import { Card } from '#ui/basic/card.tsx';
import { copyText } from '#ui/format/clipboard.ts';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { formatMoney } from '#ui/format/money.ts';
import { formatWhole } from '#ui/format/number.ts';
import { useSiteFormat } from '#ui/format/site-format.ts';
import { invitationsQuery } from './topup-api.ts';

const loadDialog = () => import('./invite-dialog.tsx');
const InviteDialog = lazy(async () => ({ default: (await loadDialog()).InviteDialog }));

const linkOf = (code: string) => `${hubAddress}/register?aff=${encodeURIComponent(code)}`;

/** The invitation link and the rewards it has earned. */
export function InviteCard() {
  return (
    <Suspense fallback={<Card className="h-17" />}>
      <Invitations />
    </Suspense>
  );
}

function Invitations() {
  const { t } = useTranslation('invite');
  const { data, error, isFetching, refetch } = useQuery(invitationsQuery);
  const id = useId();
  if (error && !data)
    return (
      <Card>
        <ErrorState text={error.message} busy={isFetching} onRetry={() => void refetch()} />
      </Card>
    );
  return (
    <Card
      aria-labelledby={id}
      className="flex min-h-17 items-center gap-x-6 gap-y-3.5 px-6 py-3.5 max-sm:flex-wrap max-sm:p-4"
    >
      <div className="min-w-0 flex-1 max-sm:basis-full">
        <h2 id={id} className="mr-1.5 inline text-14">
          {t('title')}
        </h2>
        {data ? <InviteText of={data} /> : <Skeleton width={220} />}
      </div>
      {data && <InviteActions code={data.aff_code} />}
    </Card>
  );
}

/** Users without an invitation code get one with the first click. */
function InviteActions({ code }: { code: string }) {
  const { t } = useTranslation('invite');
  const client = useQueryClient();
  const site = useSite();
  const [shown, setShown] = useState<string>();
  const make = useMutation({
    mutationFn: () => call(registerApi.makeAffCode),
    onSuccess: () => refresh(client, registerApi.invitations),
  });
  const getLink = async () => linkOf(code || (await make.mutateAsync()));
  const copy = async () => {
    // Clipboard access must start during the press, while a new link is still loading.
    await copyText(code === '' ? getLink() : linkOf(code), t('link'));
  };
  const share = async () => navigator.share({ title: site?.system_name ?? '', url: await getLink() });
  const press = (act: () => Promise<void>) => {
    act().catch(() => {
      // The request shows its own error; closing the share sheet is no error.
    });
  };
  const canShare = 'share' in navigator;
  const button = { saves: code === '', className: 'max-sm:flex-1' };
  return (
    <div className="flex flex-none gap-4 max-sm:w-full max-sm:gap-2">
      <Button {...button} icon={LinkIcon} onClick={() => press(copy)}>
        {t('copy')}
      </Button>
      <Button
        {...button}
        icon={QrCode}
        onPointerEnter={() => void loadDialog()}
        onFocus={() => void loadDialog()}
        onClick={() => press(async () => setShown(await getLink()))}
      >
        {t('code')}
      </Button>
      {canShare && (
        <Button {...button} icon={Share2} onClick={() => press(share)}>
          {t('share')}
        </Button>
      )}
      {shown !== undefined && (
        <Suspense>
          <InviteDialog link={shown} onClose={() => setShown(undefined)} />
        </Suspense>
      )}
    </div>
  );
}

/** Rewards of the next invitation for both sides, those earned so far, and what pending ones wait for. */
function InviteText({
  of: {
    invited,
    earned,
    waiting,
    inviter_reward: reward,
    invitee_reward: theirs,
    share_percent: percent,
    share_days: days,
    share_waiting: shares,
  },
}: {
  of: Counts;
}) {
  const { t } = useTranslation('invite');
  const format = useSiteFormat();
  const money = (credits: number) => formatMoney(credits, format);
  const count = formatWhole(invited);
  const sentences = [
    reward > 0 && t('get', { amount: money(reward) }),
    percent > 0 && t(days > 0 ? 'shareLater' : 'shareAtOnce', { percent, count: days }),
    theirs > 0 && t('give', { amount: money(theirs) }),
    shares > 0 && t('shareWaiting', { amount: money(shares) }),
    earned > 0 ? t('countsEarned', { count, amount: money(earned) }) : invited > 0 && t('counts', { count }),
  ];
  return (
    <>
      <span className="text-text2">{sentences.filter(Boolean).join(' ').replaceAll('。 ', '。')}</span>
      {waiting > 0 && reward > 0 && <p className="mt-0.5 text-13 text-text2">{t('waiting', { count: waiting })}</p>}
    </>
  );
}
