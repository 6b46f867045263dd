import { teamApi, type Team } from '@relay-hub/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Handshake } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { apiQuery } from '#api/api-query.ts';
import { call } from '#api/call.ts';
import { Button } from '#ui/basic/button.tsx';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { Dialog } from '#ui/overlay/dialog.tsx';
import { refreshTeams } from './team-api.ts';

/** Shows an invitation and answers it. */
export function InviteAnswer({ token, onClose }: { token: string; onClose: (team?: Team) => void }) {
  const { t } = useTranslation('team');
  const client = useQueryClient();
  const invite = useQuery({
    ...apiQuery(teamApi.readInvite, { body: { token } }),
    meta: { quiet: true },
    retry: false,
  });
  const answer = useMutation({
    mutationFn: (accept: boolean) => call(teamApi.answerInvite, { body: { token, accept } }),
    onSuccess: (team) => onClose(team ?? undefined),
    onSettled: () => refreshTeams(client),
  });
  return (
    <Dialog
      title={t('invitation')}
      icon={Handshake}
      iconTone="text-accent"
      width={440}
      onClose={() => onClose()}
      footer={(close) =>
        invite.data ? (
          <>
            <Button busy={answer.isPending && !answer.variables} onClick={() => answer.mutate(false)}>
              {t('decline')}
            </Button>
            <Button variant="primary" busy={answer.isPending && answer.variables} onClick={() => answer.mutate(true)}>
              {t('accept')}
            </Button>
          </>
        ) : (
          <Button onClick={close}>{t('close')}</Button>
        )
      }
    >
      {invite.data ? (
        <p className="text-14">
          {t('invitationText', { team: invite.data.team, role: t(`role.${invite.data.role}`) })}
        </p>
      ) : invite.error ? (
        <ErrorState text={invite.error.message} busy={invite.isFetching} onRetry={() => void invite.refetch()} />
      ) : (
        <Skeleton width="60%" />
      )}
    </Dialog>
  );
}
