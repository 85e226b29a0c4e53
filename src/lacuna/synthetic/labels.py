"""The label set of the i2b2 2014 de-identification task and the category of each label."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

#: Label of a mention -> its large category.
CATEGORIES: Mapping[str, str] = MappingProxyType(
    {
        "PATIENT": "NAME",
        "DOCTOR": "NAME",
        "USERNAME": "NAME",
        "PROFESSION": "PROFESSION",
        "HOSPITAL": "LOCATION",
        "DEPARTMENT": "LOCATION",
        "ROOM": "LOCATION",
        "ORGANIZATION": "LOCATION",
        "STREET": "LOCATION",
        "CITY": "LOCATION",
        "STATE": "LOCATION",
        "COUNTRY": "LOCATION",
        "ZIP": "LOCATION",
        "LOCATION-OTHER": "LOCATION",
        "AGE": "AGE",
        "DATE": "DATE",
        "PHONE": "CONTACT",
        "FAX": "CONTACT",
        "EMAIL": "CONTACT",
        "URL": "CONTACT",
        "IPADDR": "CONTACT",
        "SSN": "ID",
        "MEDICALRECORD": "ID",
        "HEALTHPLAN": "ID",
        "ACCOUNT": "ID",
        "LICENSE": "ID",
        "VEHICLE": "ID",
        "DEVICE": "ID",
        "BIOID": "ID",
        "IDNUM": "ID",
    }
)

#: Every identifier label, in the order of the guidelines.
LABELS: tuple[str, ...] = tuple(CATEGORIES)

#: The optional second layer: clinical findings, some of them with gaps.
FINDING = "FINDING"
