import { registerApi } from '@relay-hub/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useId } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { call } from '#api/call.ts';
import { refresh } from '#api/api-query.ts';
import { Button } from '#ui/basic/button.tsx';
import { Card } from '#ui/basic/card.tsx';
import { copyText } from '#ui/format/clipboard.ts';
import { CopyButton } from '#ui/basic/copy-button.tsx';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { InviteText } from './invite-text.tsx';
import { invitationsQuery } from './topup-api.ts';

const linkOf = (code: string) => `${location.origin}/register?aff=${encodeURIComponent(code)}`;

/** The invitation link and the rewards it has earned. */
export function InviteCard() {
  const { t } = useTranslation('topup');
  const { data, error, isFetching, refetch } = useQuery(invitationsQuery);
  const id = useId();
  if (error && !data)
    return (
      <Card>
        <ErrorState text={error.message} busy={isFetching} onRetry={() => void refetch()} />
      </Card>
    );
  return (
    <Card aria-labelledby={id} className="flex items-center gap-x-6 gap-y-3.5 px-6 py-5 max-sm:flex-wrap max-sm:p-4">
      <div className="min-w-0 flex-1 max-sm:basis-full">
        <h2 id={id} className="text-16">
          {t('invite')}
        </h2>
        <p className="mt-0.5 text-13 text-text2">{data ? <InviteText of={data} /> : <Skeleton width={220} />}</p>
      </div>
      {data && (data.aff_code === '' ? <MakeLink /> : <InviteLink link={linkOf(data.aff_code)} />)}
    </Card>
  );
}

function InviteLink({ link }: { link: string }) {
  const { t } = useTranslation('topup');
  return (
    <div className="flex h-9 w-100 min-w-0 shrink items-center rounded-control border border-line2 bg-sunk pr-1 pl-2.5 max-sm:h-11 max-sm:w-full">
      <input
        readOnly
        aria-label={t('inviteLink')}
        value={link}
        onFocus={(event) => event.target.select()}
        className="min-w-0 flex-1 truncate bg-transparent font-mono text-13 outline-none"
      />
      <CopyButton text={link} name={t('inviteLink')} />
    </div>
  );
}

/** For users without an invitation code: creates one and copies the link. */
function MakeLink() {
  const { t } = useTranslation('topup');
  const client = useQueryClient();
  const { mutateAsync, isPending } = useMutation({
    mutationFn: () => call(registerApi.makeAffCode),
    onSuccess: () => refresh(client, registerApi.invitations),
  });
  const make = async () => {
    try {
      // Clipboard access must start during the press, while the text is still loading.
      await copyText(mutateAsync().then(linkOf), t('inviteLink'));
    } catch {
      // The request shows its own error.
    }
  };
  return (
    <Button busy={isPending} onClick={() => void make()} className="h-9 max-sm:h-11 max-sm:flex-1">
      {t('makeLink')}
    </Button>
  );
}
