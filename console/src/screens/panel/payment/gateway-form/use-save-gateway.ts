import { paymentApi, type GatewayType, type PaymentGateway } from '@relay-hub/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { UseFormReturn } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import { ApiError } from '#api/api-error.ts';
import { call } from '#api/call.ts';
import { messageAt, savedOrRefused } from '#domain/save/form-error.ts';
import { toast } from '#ui/feedback/toast.ts';
import { refreshGateways } from '#screens/panel/payment/payment-api.ts';
import { bodyOf, type GatewayInput, type GatewayValues } from './gateway-values.ts';

interface Options {
  form: UseFormReturn<GatewayInput, unknown, GatewayValues>;
  gateway: PaymentGateway | undefined;
  type: GatewayType | undefined;
  onSaved: (saved: PaymentGateway, isTested: boolean) => void;
}

interface Saving {
  values: GatewayValues;
  /** Whether a test follows. */
  isTested: boolean;
}

export function useSaveGateway({ form, gateway, type, onSaved }: Options) {
  const { t } = useTranslation('paymentGateway');
  const client = useQueryClient();
  // Read while rendering: react-hook-form tracks only what is.
  const { dirtyFields } = form.formState;
  const send = (values: GatewayValues): Promise<PaymentGateway> => {
    const body = bodyOf(values, type);
    if (!gateway) return call(paymentApi.create, { body });
    const changed = Object.entries(body).filter(([name]) => name in dirtyFields && name !== 'type');
    return call(paymentApi.update, { body: { id: gateway.id, ...Object.fromEntries(changed) } });
  };
  return useMutation({
    mutationFn: ({ values }: Saving) => savedOrRefused(form, () => atConfigField(() => send(values))),
    onSuccess: (saved, { isTested }) => {
      if (!saved) return;
      toast.success(t(gateway ? 'saved' : 'made', { name: saved.name }));
      onSaved(saved, isTested);
    },
    onSettled: () => refreshGateways(client),
  });

  /** Shows an error of a type's field there; the server names it `config.<name>` or `<name>`. */
  async function atConfigField<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      const name = error instanceof ApiError ? error.field?.replace(/^config\./, '') : undefined;
      if (!(error instanceof ApiError) || !type?.fields.some((field) => field.name === name)) throw error;
      const place = `config.${name}` as const;
      form.setError(place, { type: 'server', message: messageAt(error) }, { shouldFocus: true });
      return undefined;
    }
  }
}
