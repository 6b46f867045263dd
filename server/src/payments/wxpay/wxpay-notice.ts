import { type Json, objectOf, objectOr, parseJson } from '#json.ts';
import { type GatewayContext, type GatewayNotice, NoticeRefused, type RawNotice } from '#payments/gateway.ts';
import { keyProblem } from './wxpay-api.ts';
import { fenOf, paymentReport, refundReport, text } from './wxpay-objects.ts';
import { setting } from './wxpay-request.ts';
import { decryptResource, signatureHeaders, signatureProblem } from './wxpay-signature.ts';

/** Throws `GatewayError` if certificates have to be downloaded and cannot be: the notification is sent again. */
export async function verifyWxpay(context: GatewayContext, notice: RawNotice): Promise<GatewayNotice> {
  const signed = signatureHeaders(notice.headers);
  const problem = signatureProblem(signed, context.now) || (await keyProblem(context, signed, notice.body));
  if (problem !== '') throw new NoticeRefused('signature', problem);

  const event = objectOr(parseJson(notice.body.toString('utf8')));
  const type = text(event, 'event_type');
  const isTransaction = type.startsWith('TRANSACTION.');
  if (!isTransaction && !type.startsWith('REFUND.')) return { kind: 'other', state: type };

  const object = decrypted(objectOr(event['resource']), setting(context, 'mch_apiv3_key'));
  ensureMerchant(context, object, isTransaction);
  if (isTransaction) return { kind: 'payment', ...paymentReport(object) };
  return {
    kind: 'refund',
    refundNo: text(object, 'out_refund_no'),
    tradeNo: text(object, 'out_trade_no'),
    gatewayNo: text(object, 'transaction_id'),
    minor: fenOf(objectOr(object['amount'])['refund']) ?? 0,
    ...refundReport(object),
  };
}

function decrypted(resource: Json, apiKey: string): Json {
  let plain: string;
  try {
    plain = decryptResource(
      {
        nonce: text(resource, 'nonce'),
        ciphertext: text(resource, 'ciphertext'),
        associatedData: text(resource, 'associated_data'),
      },
      apiKey,
    );
  } catch {
    throw new NoticeRefused('signature', 'the APIv3 key does not decrypt the notification');
  }
  const object = objectOf(parseJson(plain));
  if (!object) throw new NoticeRefused('signature', 'the decrypted notification is not JSON');
  return object;
}

/** Refunds name no app. */
function ensureMerchant(context: GatewayContext, object: Json, isTransaction: boolean): void {
  if (text(object, 'mchid') !== setting(context, 'mch_id')) {
    throw new NoticeRefused('merchant', `the merchant is ${text(object, 'mchid').slice(0, 40) || 'missing'}`);
  }
  if (isTransaction && text(object, 'appid') !== setting(context, 'app_id')) {
    throw new NoticeRefused('merchant', `the app is ${text(object, 'appid').slice(0, 40) || 'missing'}`);
  }
}
