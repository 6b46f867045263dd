import { useQuery } from '@tanstack/react-query';
import { RecordDrawer, useCloseIf } from '#list/record-drawer.tsx';
import { gatewayById, gatewayTypes } from '#screens/panel/payment/payment-api.ts';
import { GatewayForm } from './gateway-form.tsx';

interface Props {
  /** `new`, or the id of a gateway. */
  edit: string;
  /** Tests the stored gateway when its form opens. */
  testFirst: boolean;
  /** A gateway was created that is to be tested. */
  onCreated: (id: number) => void;
  onClose: () => void;
}

/** The form that the address names. */
export function GatewayDrawer({ edit, testFirst, onCreated, onClose }: Props) {
  const { data: types, isError } = useQuery({ ...gatewayTypes, meta: {} });
  useCloseIf(isError && !types, onClose);
  if (!types) return null;
  return (
    <RecordDrawer
      edit={edit}
      query={gatewayById}
      create={<GatewayForm types={types} onCreated={onCreated} onClose={onClose} />}
      onClose={onClose}
    >
      {(gateway) => (
        <GatewayForm types={types} gateway={gateway} testFirst={testFirst} onCreated={onCreated} onClose={onClose} />
      )}
    </RecordDrawer>
  );
}
