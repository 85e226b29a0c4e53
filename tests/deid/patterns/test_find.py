"""Patterns, by example: ``[text]`` is what must be found, everything else must not."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lacuna.deid.findings import Origin
from lacuna.deid.patterns import find_patterns
from lacuna.deid.patterns.recognizers import UNSURE

FOUND = {
    "DATE": """
        Seen on [3/14/2014] and [03/18/14].
        born [14.03.1953], operated [1.12.98]
        from [2014-03-14] to [2014/03/18]
        D: [3-14-14] T: [03-15-2014]
        stamp [2014-03-14]T08:30:00Z
        on[3/14/2014] typed without a space
        stay [3/14/14]-[3/18/14]
        Between [03/25/2010] and [04/04/2010] she
        last seen [3/2014], again [2015-06]
        smoked [1998-2003]
        file [20140314] signed
        [March 3rd, 2014]: stable
        [Mar. 3, 2014] and [MARCH 3 2014]
        [March 2014] or [May of 1991] or [May '91] or [March, 2014]
        [3 Mar 14] and [16-Apr-82] and [29JAN2064]
        [3rd of March] to [4 April 2014]
        [Mar-03-2014] [Mar/3/14]
        [3 de marzo de 2014], el [12 de mayo]
        am [3. März 2014], [14 Oktober 1999]
        le [1er mars 2014], [14 juillet 1989]
        op [3 mrt 2014], [21 augustus 2001]
        [Tuesday, October 19, 2106] by helicopter
        [Sun 3/14/15] and [Friday]
        pain since [Fri] night
        on [3/14] she; since [12/1]
        From [April 3] to [04/05]
        labs [03/14] fine
        . [3/4]: Hct 43
        in [1998], since [2001], until [2103]
        since ['73] for years
        colectomy ([1998])
        in the [1990s]
        in the [summer of 2091], he
        in [5/98] he
        in [December], in [May], since [april]
        [september] was fine
        [2014-03-14]
        [1994]: hysterectomy
        D:[17-Feb-16] T: next
        #6 [April 30th] given
        CABG x 3 [Mar 23, 1991].
        IN THE [1990S]
        op [12.XI.2014], [3-IV-98], [14/iii/2012] and [5 V 2014]
        el [14 de marzo de 2014], a [3 de mayo del año 2021], [14-MAR-2014]
        del [3 al 11 de mayo de 2021], [14 y 15 de marzo]; de [2 a 3 de abril]
        fecha de ingreso [12/04], alta: [15/4], día [3/5]
        Account [03/14/2014] paid; Chart: [2014-03-14]; MRN [03-14-2014]
    """,
    "AGE": """
        [92]-year-old man
        [90] y/o, [101] yo, [93]yo, [95] y.o.
        a [94] year old
        [99] years old, [90] yrs old, [91] yr. old
        aged [92], Age: [103]
        at the age of [97]
        [ninety-two]-year-old
        [Ninety] years old
        is [92] years 3 months old, [92]yrs 1 day
        aged [ninety], at the age of [ninety-five], turned [one hundred and two]
        in her [nineties], in his late [90s], her mid-[90's]
        a [90-something] woman
        mujer de [93] años, varón de [102] años, [92] años de edad
        [noventa y tres] años, [cien] años
        a [nonagenarian] and two [centenarians]
    """,
    "PHONE": """
        Tel: [(617) 555-1234]
        call [617-555-1234], [617.555.1234] or [617 555 1234]
        ring [617/555-1234]
        [1-800-555-1234]
        [+1 617-555-1234 x44]
        [(617)555-1234, extension 2061]
        [+44 20 7946 0958]
        [020 7946 0958] and [01632 960983]
        Tél. [06 12 34 56 78]
        Telefon: [+49 30 901820]
        phone [555-1234]
        cell [6175551234]
        pager [1234], beeper #[23451]
        page Dr. Smith at [6816] with questions
        call the clinic at [617-555-1234].
        ([617-555-1234])
        llamar al [612 345 098] o al [93 260 79 82]; Tlf [91 336 87 85]
        Tel. [609 518571], móvil [612345098], [+34 612 34 50 98] y [0034 612 345 098]
        su hija, [612 34 50 98]; busca [4471], extensión [4432]
        ext. [8023], (call x[61767])
        bleep [0318], blp [2217], mob [6175551234]
    """,
    "FAX": """
        Fax: [617-555-1234]
        FAX [(617) 555-1234]
        faxed to [617.555.1234]
        [617-555-1234] (fax)
        telefax [020 7946 0958]
        fax [555-1234]
        faxed to the pharmacy at [603-5986].
    """,
    "EMAIL": """
        write to [j.smith@mail.example.org].
        <[jane_doe+lab@example.co.uk]>
        [O'BRIEN@EXAMPLE.COM]; more
        mailto:[a@b.io]
        [josé.núñez@correo.example.es]
    """,
    "URL": """
        see [https://chart.example.org/study/92014?id=3#x].
        ([www.example.net])
        at [example.org/billing], then
        room [meet.clinic.example/r/7kd] or [www.example.co.nz], [example.ie]
        portal [ftp://files.example.edu/a_b]
        [HTTP://EXAMPLE.COM/A]
    """,
    "IPADDR": """
        from [192.168.11.144]
        host ([10.25.180.159]).
        [2001:db8:0:0:8:800:200c:417a] logged in
        [fe80::1ff:fe23:4567:890a] and [2001:db8::1]
    """,
    "SSN": """
        SSN: [123-45-6789]
        [338-48-7910] on file
        Soc. Sec. # [152 25 8171]
        Social Security Number [902513362]
        SS#.........: [425-10-5538]
    """,
    "MEDICALRECORD": """
        MRN: [1234567]
        MRN#[E123456]; MRN [705 31 55]
        Medical Record Number: [208-62-94-5]
        Med. Rec. No: [80820807VVP]
        Unit No. [92643], Chart #[9571135]
        Patient ID: [3104-84-04]
        MR# [2342O07700], MRN [11-23-45]
        NHI [ZKB2284], then [ZAC5361] again
        NHC: [368503], HC [443321], Historia clínica: [368503], nº de historia [55443]
        UHID [SAMH0091557], casenote [772904]
    """,
    "HEALTHPLAN": """
        Policy #: [NBZ710473790]
        Member ID: [5481-1695-46]
        Medicare [WWT599V34933]
        NHS No. [513 520 4390]
        Medicare [3950 18824 1] ref 1
        card [2123 45670 1]
        MBI [4TX7-WK2-MN93], plan [1EG4TE5MK73]
        PHN [9044 118 273]
        NASS: [26 63514095], Nº afiliación: [28 1234567890], nº de póliza [443322]
        seguridad social [28/12345678/40], CIP: [ABCD123456789012]
    """,
    "ACCOUNT": """
        Acct #: [5065472685]
        Account No. [VK4703391]
        Visit No: [FF1507934]
        card [4111 1111 1111 1111] charged
        card [5500-0055-5555-5559]
        pay to [DE89 3704 0044 0532 0130 00]
        [GB82WEST12345698765432] please
        IBAN: [NL91 ABNA 0417 1643 00] BIC
    """,
    "LICENSE": """
        DEA# [AB1234563], NPI [1234567893]
        Driver's license number [X98830008]
        Nº Col: [28 28 41234], Nº de colegiado [28/2841234], colegiada [08456]
        License [MD201021] or license [ON2910936]
        HCPC [PA38821], GMC [6049382], MCNZ [38817]
    """,
    "VEHICLE": """
        VIN [1HGCM82633A004352]
        a [1M8GDM9AXKP042788] truck
        license plate [LEE 160] seen
        matrícula [4432 BCD]
        Vehicle.....: [XU 23 HUK]
        plate [419-NAT];
        her Fiesta [DK17 OWL], rego [KPB214]
    """,
    "DEVICE": """
        serial [2438E7], done
        Serial number: [LU242834], nº de serie [4432-BC]
        Implant lot # [I997-9026-40]
        mac [00:1A:2B:3C:4D:5E] up
    """,
    "BIOID": """
        Fingerprint ID [BIO8987720]
        Biometric identifier [FP-984223]
    """,
    "IDNUM": """
        Accession: [S14-12345]
        Case #: [BZ532:64836]
        Lab No. [602-71896-P]
        ID: [12345678]
        (continued) [41959502] of
        DUMANLI, SABA [B626474]
        Slides ([6171J41952]) were
        tube [90S1234567] kept
        Aadhaar [4991 1866 5246], or [4991-1866-5246]
        ID [800101 5009 087]
        CNIC [35202-1234567-1], [784-1988-5540123-1]
        DNI: [48291033-K], dni [48.291.033-K], NIF [12345678 Z], NIE [X-1234567-L]
        vino con [12345678Z] y [12.345.678-Z], ella [Y1234567X]
        Pasaporte: [AAA123456], expediente nº [20144432]
        badge [30718], ticket no. [88134]
    """,
    "DOCTOR": """
        [RDM/bq]
        [HJV:mlk]
    """,
    "ZIP": """
        Boston, MA [02114]
        Memphis GA [19287-7835].
        Portland, Hawaii [02178], USA
        Derby, SC, [38300]
        zip code [10001]
        London [SW1A 1AA]
        Ottawa [K1A 0B1]
        CP: [28046], C.P. [28009], c.p.: [08009]
        [28009] Madrid, [08013] Barcelona, [15001] A Coruña
        Dublin [D02 X285], [V92XK3P]
    """,
}

NOTHING = """
    BP 120/70, 118/64 mmHg, 90/60
    strength 4/5 and 5/5 throughout
    pain 8/10, 3/10 at rest
    murmur 2/6, II/VI
    Apgar 8/9, GCS 15/15
    vision 20/20, 20/40 OS
    take 1/2 tab, 1 1/2 tabs daily
    on 1/2 tab of aspirin
    in 3/4 of cases
    from 2/3 of the patients
    24/7 care
    ratio 1:2, odds 3-1
    INR 2.5, Hct 34.4, K 4.2
    WBC 12,500 and Plt 250,000
    platelets 250000 cells
    heparin 5000 units, 10000 units SC
    CK of 1895 with an MB fraction
    viral load 1200000 copies
    1000 mL of saline, 1500 cc
    500-1000 mg q4-6h
    12.5 mg p.o. b.i.d.
    at 14:30, 8:00 am, 12:30:45
    at 1930 hours she slept
    T 98.6 P 88 R 16 O2 sat 97% on RA
    version 2.3.25, v1.2.10
    L4-5 disc, C5-6, T1-2
    T2N1M0 tumour, stage 3
    B12 5MG daily, D3 2000 IU
    HbA1c 7.1, CD4 350, CA 19-9 37
    may shower, may 10 times walk
    she may march, dec appetite, 3 sets of 10
    walked 2 mars bars
    in OCT embedded
    Mayo stand, Mayo Clinic
    a 45 year old man, 89 y/o, 3 yo
    aged 45, Age: 88
    for 92 days, 95 bpm, 120 pounds
    90% of predicted
    sats in the 90s, in the early nineties, systolic 90s
    ninety percent, one hundred mg, a hundred times, hundred steps
    90 something, 90 sec, 90-second, her ninety-two percent
    92 on arrival
    room 1405, bed 12
    4-0 Vicryl, 2-0 silk
    size 10-12
    x 3 days, x 10, CABG x 3 1983
    page 2 of 5
    3 times a day for 10 days
    5 mg/kg/day, 80/20 mixture, 70/30 insulin
    7 weeks, 38 5/7 weeks
    G3P2002
    ICD-9 250.00, CPT 99213
    10.5.3
    0.0.0
    999.999.999.999
    13/13/2014 or 45/45/45
    30/02/2014
    a@b and @home, 5 @ 10
    https:// and www. alone
    4111 1111 1111 1112 fails
    :: and a::b :
    unit 40, case 12, chart 5
    Mr. Smith has 3 children
    no 12 lead ECG
    policy of no restraint
    license to drive
    vehicle at 40 mph
    account 12:30:45
    phone 3 times
    tel, fax, pager
    the plate was fixed with 4 screws
    dilute 1/128
    NYHA class 3/4
    Mondays and Fridays off
    AC/PC, PT/INR, S1/S2
    dictated by AC/pc today
    murmur II/VI 14, grade 2/VI 14, cranial nerves III, IV and VI
    3 IV 20 mg, 2.II.5
    CD20 NEG, CD19 POS, BP12 AND
    T12 TEAR, B12 DEFICIENCY, L45 disc
    4991 1866 5247
    2123 45671 1
    ABC1234 cells
    pain.no fever, stable.in bed
    a badge of honour, docket closed, rego due
    SN intact, LOT of pain, tag along
    89 años, 93 años de evolución, hace 95 años, noventa y tres gramos
    28009 Barcelona, 53001 Madrid, 25000 Unidades
    SpO2 98 120 80 72, FC 91 120 80 72 16
    glucemia 112 mg/dl a las 12:30 h, 1000 000 UI
    plaquetas 250.000, leucocitos 12.300, LDH 600
    600 650 700 750 mg, 912 345 678 900
    el 3/4 de los casos, 4/5 en cuádriceps, alta 12 horas
    busca 3 veces, historia de 2 meses, informe 12 de 14, col 3
    12.345.678-A no
    x 12, ext rotation 40
    """

LABELLED = [
    (label, line.strip()) for label, lines in FOUND.items() for line in lines.strip().split("\n")
]


def marked(line: str) -> tuple[str, list[tuple[int, int]]]:
    """Return a line without its brackets, and where they stood."""
    spans, text = [], ""
    for part in re.split(r"(\[[^\]]+\])", line):
        if part.startswith("["):
            spans.append((len(text), len(text) + len(part) - 2))
            part = part[1:-1]
        text += part
    return text, spans


@pytest.mark.parametrize(("label", "line"), LABELLED, ids=[line for _, line in LABELLED])
def test_finds(label: str, line: str) -> None:
    text, spans = marked(line)
    found = [(f.start, f.end) for f in find_patterns(text) if f.label == label]
    assert found == spans


@pytest.mark.parametrize("line", [line.strip() for line in NOTHING.strip().split("\n")])
def test_finds_nothing(line: str) -> None:
    assert [(line[f.start : f.end], f.label) for f in find_patterns(line)] == []


@pytest.mark.parametrize("number", ["123-45-0000", "666-12-3456", "000-12-3456", "123-00-4567"])
def test_a_number_never_given_out_is_no_social_security_number(number: str) -> None:
    assert [f.label for f in find_patterns(f"on {number} file")] == ["IDNUM"]


def test_what_only_the_form_suggests_is_unsure() -> None:
    sure, unsure = find_patterns("MRN 1234567, then 41959502")
    assert (sure.probability, unsure.probability) == (1.0, UNSURE)


def test_offsets_are_code_points() -> None:
    text = "👩‍⚕️ día 3/14/2014 𝒜 a@b.org"
    assert [text[f.start : f.end] for f in find_patterns(text)] == ["3/14/2014", "a@b.org"]


@given(st.text(alphabet="0123456789/-. :@#+()abMRNwxy\n'", max_size=60))
def test_any_text_is_read_and_findings_are_sorted(text: str) -> None:
    findings = find_patterns(text)
    assert findings == sorted(findings)
    assert all(0 <= f.start < f.end <= len(text) for f in findings)
    assert all(f.origin is Origin.PATTERN for f in findings)


@given(st.text(max_size=40), st.text(max_size=40))
def test_surroundings_of_other_characters_change_nothing(before: str, after: str) -> None:
    text = f"{before}\n\n; 617-555-1234 ;\n\n{after}"
    start = len(before) + 4
    assert any((f.start, f.end) == (start, start + 12) for f in find_patterns(text))
