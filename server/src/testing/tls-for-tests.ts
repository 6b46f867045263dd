import { getCACertificates, setDefaultCACertificates } from 'node:tls';

/** A certificate of `localhost` that nobody trusts, and its key; good for tests and nothing else. */
export const testCertificate = {
  cert: `-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUR7b1wf3kR7cX7JgTuKRv1o+ftnMwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMDE4MDMzNVoYDzIxMjYxMDI3
MTgwMzM1WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAARTaeI0iEQNhDByAaC0LOEQ/wQ0k5TsCsSmf420HJ7biQNchaR5ycuP
szZD/XCiBLkTu0aE5efpaXhQFvh0sPuro28wbTAdBgNVHQ4EFgQUuudyE+XehV9o
/+UOrTweq4hbVkswHwYDVR0jBBgwFoAUuudyE+XehV9o/+UOrTweq4hbVkswDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSAAwRQIgEZy9BUntn1co/THizEZQDZPhBs7xLZbxu9PQIokTI5sCIQDv
AlfMALv2OBOFziuCr5XxjEGhIUJlQemZvputejC7uQ==
-----END CERTIFICATE-----
`,
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgI06OzL9/1JgpfLTy
HP2WJVhjK/ceOtEICdEpkcWDIRqhRANCAARTaeI0iEQNhDByAaC0LOEQ/wQ0k5Ts
CsSmf420HJ7biQNchaR5ycuPszZD/XCiBLkTu0aE5efpaXhQFvh0sPur
-----END PRIVATE KEY-----
`,
};

/** From here on this process takes the certificate for a good one. */
export const trustTestCertificate = (): void =>
  setDefaultCACertificates([...getCACertificates('default'), testCertificate.cert]);
