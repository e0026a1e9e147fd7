// An SMP on loopback: service groups and signed metadata for scripted participants. What it signs is made canonical by libxml2, so that
// our own canonicalisation is checked by another one.
import { createHash, sign } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { certified } from './certificates.ts';
import { canonical } from './libxml.ts';
import { escaped } from './markup.ts';

export interface Service {
  /** `busdox-docid-qns::…` or `peppol-doctype-wildcard::…`. */
  readonly documentType: string;
  readonly processes: readonly string[];
  /** The document type that the metadata is about, where it is not the one that was asked for. */
  readonly tells?: string;
  /** Whom it is about, where that is not who was asked for. */
  readonly about?: string;
  /** What its signature says that it is about; the whole document, where nothing else is told. */
  readonly signs?: string;
  readonly transportProfile?: string;
  readonly activation?: string;
  readonly expiration?: string;
  /** Of the access point. */
  readonly address?: string;
  /** Of the access point, in base64. */
  readonly certificate?: string;
  /** The metadata is kept elsewhere. */
  readonly redirect?: string;
  /** Who signs it there; the usual signer unless told otherwise. */
  readonly redirectUid?: string;
}

export interface Smp extends AsyncDisposable {
  readonly url: string;
  readonly participants: Map<string, Service[]>;
  /** Paths that were asked for. */
  readonly asked: string[];
  /** Changes an answer on its way out; a status instead of a text is sent alone. */
  tamper: (text: string) => string | number;
}

/** RSA, as Peppol's certificates are, and an authority that issued it. */
export interface SmpSigner {
  /** PEM. */
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

const made = new Map<string, SmpSigner>();

/** Made once in a process for each name. */
export function smpSigner(name = 'SMP'): SmpSigner {
  const known = made.get(name);
  if (known) return known;
  const authority = certified({ name: `${name} authority`, kind: 'rsa', isAuthority: true });
  const { certificate, key } = certified({ name, kind: 'rsa', by: authority });
  const signer = { authority: authority.certificate, certificate, key };
  made.set(name, signer);
  return signer;
}

const SMP = 'http://busdox.org/serviceMetadata/publishing/1.0/';
const NAMESPACES = `xmlns:ids="http://busdox.org/transport/identifiers/1.0/" xmlns:smp="${SMP}" xmlns:wsa="http://www.w3.org/2005/08/addressing"`;
const DSIG = 'http://www.w3.org/2000/09/xmldsig#';

export async function startSmp(signer: SmpSigner = smpSigner(), exclusive = false): Promise<Smp> {
  const participants = new Map<string, Service[]>();
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '');
    asked.push(path);
    const [, participant = '', , documentType] = /^\/iso6523-actorid-upis::([^/]+)(\/services\/(.+))?$/.exec(path) ?? [];
    const services = participants.get(participant);
    const service = services?.find((each) => each.documentType === documentType);
    const text = documentType
      ? service && signedMetadata(signer, participant, service, exclusive)
      : services && serviceGroup(url(), participant, services);
    const answer = text === undefined ? 404 : smp.tamper(text);
    if (typeof answer === 'number') return void response.writeHead(answer).end();
    response.writeHead(200, { 'content-type': 'application/xml' }).end(answer);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const url = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const smp: Smp = {
    url: url(),
    participants,
    asked,
    tamper: (text) => text,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
  return smp;
}

function serviceGroup(url: string, participant: string, services: readonly Service[]): string {
  const group = `${url}/${encodeURIComponent(`iso6523-actorid-upis::${participant}`)}`;
  const references = services.map(({ documentType }) => {
    return `<smp:ServiceMetadataReference href="${group}/services/${encodeURIComponent(documentType)}"/>`;
  });
  return `<smp:ServiceGroup ${NAMESPACES}><ids:ParticipantIdentifier scheme="iso6523-actorid-upis">${participant}</ids:ParticipantIdentifier><smp:ServiceMetadataReferenceCollection>${references.join('')}</smp:ServiceMetadataReferenceCollection></smp:ServiceGroup>`;
}

function metadata(participant: string, service: Service): string {
  const { redirect, redirectUid = 'CN=SMP' } = service;
  if (redirect) {
    const uid = `<smp:CertificateUID>${escaped(redirectUid)}</smp:CertificateUID>`;
    return `<smp:ServiceMetadata><smp:Redirect href="${escaped(redirect)}">${uid}</smp:Redirect></smp:ServiceMetadata>`;
  }
  const { documentType, processes, transportProfile = 'peppol-transport-as4-v2_0', activation, expiration } = service;
  const { address = 'https://ap.example/as4', certificate = '' } = service;
  const [scheme, ...value] = (service.tells ?? documentType).split('::');
  const endpoint = `<smp:Endpoint transportProfile="${transportProfile}">
    <wsa:EndpointReference><wsa:Address>${escaped(address)}</wsa:Address></wsa:EndpointReference>
    <smp:RequireBusinessLevelSignature>false</smp:RequireBusinessLevelSignature>${activation ? `<smp:ServiceActivationDate>${activation}</smp:ServiceActivationDate>` : ''}${expiration ? `<smp:ServiceExpirationDate>${expiration}</smp:ServiceExpirationDate>` : ''}
    <smp:Certificate>${certificate}</smp:Certificate><smp:ServiceDescription>Grüße &amp; more &gt; "less"</smp:ServiceDescription>
    <smp:TechnicalContactUrl>mailto:smp@example.com</smp:TechnicalContactUrl></smp:Endpoint>`;
  const list = processes.map(
    (process) =>
      `<smp:Process><ids:ProcessIdentifier scheme="cenbii-procid-ubl">${escaped(process)}</ids:ProcessIdentifier><smp:ServiceEndpointList>${endpoint}</smp:ServiceEndpointList></smp:Process>`,
  );
  return `<smp:ServiceMetadata><smp:ServiceInformation>
  <ids:ParticipantIdentifier scheme="iso6523-actorid-upis">${service.about ?? participant}</ids:ParticipantIdentifier>
  <ids:DocumentIdentifier scheme="${scheme}">${escaped(value.join('::'))}</ids:DocumentIdentifier>
  <smp:ProcessList>${list.join('')}</smp:ProcessList></smp:ServiceInformation></smp:ServiceMetadata>`;
}

export function signedMetadata(signer: SmpSigner, participant: string, service: Service, exclusive: boolean): string {
  const inner = metadata(participant, service);
  const root = (signature: string): string => `<smp:SignedServiceMetadata ${NAMESPACES}>${inner}${signature}</smp:SignedServiceMetadata>`;
  const method = exclusive ? 'http://www.w3.org/2001/10/xml-exc-c14n#' : 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315';
  const digest = createHash('sha256')
    .update(canonical(root(''), exclusive))
    .digest('base64');
  const transforms = `<Transform Algorithm="${DSIG}enveloped-signature"/>${exclusive ? `<Transform Algorithm="${method}"/>` : ''}`;
  const info = `<CanonicalizationMethod Algorithm="${method}"/><SignatureMethod Algorithm="http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"/><Reference URI="${service.signs ?? ''}"><Transforms>${transforms}</Transforms><DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"/><DigestValue>${digest}</DigestValue></Reference>`;
  // The namespaces that hold where it stands count as its own.
  const alone = `<SignedInfo xmlns="${DSIG}" ${NAMESPACES}>${info}</SignedInfo>`;
  const value = sign('sha256', canonical(alone, exclusive), signer.key).toString('base64');
  const certificate = signer.certificate.replace(/-----[A-Z ]+-----|\s/g, '');
  return root(
    `<Signature xmlns="${DSIG}"><SignedInfo>${info}</SignedInfo><SignatureValue>${value}</SignatureValue><KeyInfo><X509Data><X509Certificate>${certificate}</X509Certificate></X509Data></KeyInfo></Signature>`,
  );
}
