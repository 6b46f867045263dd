import { userApi } from '@relay-hub/contract';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { call } from '#api/call.ts';
import { forgetUser } from '#api/session.ts';

/** Ends the session and goes home; where the server does not answer, the visitor stays signed in and is told. */
export function useSignOut(): () => void {
  const navigate = useNavigate();
  const { mutate } = useMutation({
    mutationFn: () => call(userApi.logout),
    onSuccess: async () => {
      // Home first: the guard of the page being left would send a visitor without a user to the login page.
      await navigate({ to: '/' });
      forgetUser();
    },
  });
  return mutate;
}
