import { userApi } from '@relay-hub/contract';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { call } from '#api/call.ts';
import { forgetUser } from '#api/session.ts';

/** Ends the session and opens the home page; if the request fails, shows the error and stays signed in. */
export function useSignOut(): () => void {
  const navigate = useNavigate();
  const { mutate } = useMutation({
    mutationFn: () => call(userApi.logout),
    onSuccess: async () => {
      // Navigate first: without a user, the guard of the current page would redirect to the login page.
      await navigate({ to: '/' });
      forgetUser();
    },
  });
  return mutate;
}
